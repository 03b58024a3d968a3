import type { NotebookCell } from '@/bindings';
import { Segmented, VisibleText } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import './unified.css';

/** The source of the cell, or the file as it is on disk. */
export type NotebookView = 'source' | 'raw';

interface Props {
  notebook: NotebookCell;
  view: NotebookView;
  onChange: (view: NotebookView) => void;
}

/** Which cell of a notebook changes, and the choice how to look at it. */
export function NotebookSwitch({ notebook, view, onChange }: Props) {
  const t = useT();
  const { mode, number, n_cells: cells, cell_type: type, id } = notebook;
  const known = type === 'code' || type === 'markdown' || type === 'raw';
  return (
    <div
      className="notebook-facts"
      data-testid={tid('notebook-cell')}
      data-kind={mode}
      data-value={number}
      data-count={cells}
    >
      <span className="numbers">{t(`notebook.cell.${mode}`, number, cells)}</span>
      <span>{known ? t(`notebook.type.${type}`) : type}</span>
      {id === null ? null : (
        <span>
          <VisibleText text={t('notebook.id', id)} />
        </span>
      )}
      <Segmented
        testId="notebook-view"
        label={t('notebook.view')}
        value={view}
        options={[
          { value: 'source', label: t('notebook.view.source') },
          { value: 'raw', label: t('notebook.view.raw') },
        ]}
        onChange={onChange}
      />
    </div>
  );
}
