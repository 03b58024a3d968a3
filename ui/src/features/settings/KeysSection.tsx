import { useT } from '@/i18n';
import { KEYMAP, labelOf, type KeyBinding, type KeyPlace } from '@/keys';

const PLACES: readonly KeyPlace[] = [
  'app',
  'composer',
  'confirmation',
  'diff',
  'editor',
  'list',
  'transcript',
  'terminal',
];

/** Every key of the window, to read. */
export function KeysSection() {
  const t = useT();
  const bindings: readonly KeyBinding[] = Object.values(KEYMAP);
  return (
    <div className="keys-columns">
      {PLACES.map((place) => (
        <section key={place} className="keys-group">
          <h3>{t(`help.where.${place}`)}</h3>
          <dl>
            {bindings
              .filter((binding) => binding.place === place)
              .map((binding) => (
                <div key={binding.keys} className="keys-row">
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
  );
}
