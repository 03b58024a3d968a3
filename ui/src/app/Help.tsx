import { Dialog } from '@/components';
import { useT, type PlainKey } from '@/i18n';
import { KEYMAP, labelOf, type KeyBinding, type KeyPlace } from '@/keys';
import { useWorkbench } from '@/state';

const PLACES: readonly { place: KeyPlace; title: PlainKey }[] = [
  { place: 'app', title: 'help.where.app' },
  { place: 'composer', title: 'help.where.composer' },
  { place: 'confirmation', title: 'help.where.confirmation' },
  { place: 'diff', title: 'help.where.diff' },
  { place: 'editor', title: 'help.where.editor' },
  { place: 'list', title: 'help.where.list' },
  { place: 'transcript', title: 'help.where.transcript' },
  { place: 'terminal', title: 'help.where.terminal' },
];

/** Every key, by the place where it works. */
export default function Help() {
  const t = useT();
  const { ui } = useWorkbench();
  const bindings: readonly KeyBinding[] = Object.values(KEYMAP);
  return (
    <Dialog
      open
      title={t('help.title')}
      closeTestId="help-close"
      onClose={() => {
        ui.setState({ helpOpen: false });
      }}
    >
      <div className="help-columns">
        {PLACES.map(({ place, title }) => (
          <section key={place} className="help-group">
            <h3>{t(title)}</h3>
            <dl>
              {bindings
                .filter((binding) => binding.place === place)
                .map((binding) => (
                  <div key={binding.keys} className="help-row">
                    <dt>{t(binding.text)}</dt>
                    <dd>
                      <kbd>{labelOf(binding.keys)}</kbd>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
