import type { StateEffect } from '@codemirror/state';
import { useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react';
import type { FileDiff } from '@/bindings';
import { useT } from '@/i18n';
import { isKey } from '@/keys';
import { announce } from '@/lib/announce';
import { provide } from '@/lib/probes';
import { tid } from '@/testids';
import { goToHunk, replaceText, selectCharacter, undoMyEdits } from './editor/actions';
import type { BarPlace } from './editor/hunkBar';
import { hunkField, hunksIn, sameHunks, setHunks } from './editor/hunks';
import {
  ownerOfHunk,
  ownershipField,
  sameOwnership,
  setBlanksShown,
  setOwnership,
  type BlanksShown,
} from './editor/marks';
import { languageCompartment, loadLanguage } from './editor/setup';
import { mountSplit, mountUnified, rememberEditor, type MountedView } from './editor/views';
import { editorWords } from './editor/words';
import type { Proposal } from './proposal';
import './editor.css';

/** What the card around the editor can ask it to do. */
export interface DiffEditorHandle {
  next: () => void;
  previous: () => void;
  undoEdits: () => void;
  focus: () => void;
  /** Selects one character, by line and column from 1. */
  select: (line: number, column: number) => void;
}

export interface DiffEditorProps {
  proposal: Proposal;
  /** Names the editor for tests: the call. */
  name: string;
  editable: 'editable' | 'fixed';
  mode: 'unified' | 'split';
  bars: BarPlace;
  wrap: 'wrap' | 'scroll';
  blanks: BlanksShown;
  ref?: Ref<DiffEditorHandle>;
}

/** A change in an editor: what was, what the model proposed, and what the person makes of it. */
export default function DiffEditor(props: DiffEditorProps) {
  const { proposal, name, editable, mode, blanks, ref } = props;
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const mounted = useMounted(box, props);

  useEffect(() => {
    mounted?.after.dispatch({ effects: setBlanksShown.of(blanks) });
  }, [mounted, blanks]);

  const go = (step: 1 | -1) => {
    if (!mounted) return;
    const place = goToHunk(mounted.after, step);
    mounted.after.focus();
    if (!place) return;
    const owner = t(`diff.owner.${ownerOfHunk(mounted.after.state, place.at - 1)}`);
    announce(t('diff.hunk.said', place.at, place.total, place.firstLine, place.lastLine, owner));
  };
  useImperativeHandle(ref, () => ({
    next: () => {
      go(1);
    },
    previous: () => {
      go(-1);
    },
    undoEdits: () => {
      if (mounted) undoMyEdits(mounted.after, proposal.ai);
    },
    focus: () => mounted?.after.focus(),
    select: (line, column) => {
      if (mounted) selectCharacter(mounted.after, line, column);
    },
  }));
  return (
    // The editor inside takes the focus; these keys work wherever in it that is.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={box}
      className="diff-editor"
      data-testid={tid('diff-editor')}
      data-key={name}
      data-mode={mode}
      data-editable={editable === 'editable'}
      data-state={mounted?.mode === mode && mounted.editable === editable ? 'ready' : 'loading'}
      onKeyDown={(event) => {
        const next = isKey(event, 'nextChange') || isKey(event, 'nextChangePage');
        const previous = isKey(event, 'previousChange') || isKey(event, 'previousChangePage');
        if (!next && !previous) return;
        event.preventDefault();
        go(next ? 1 : -1);
      }}
    />
  );
}

function useMounted(box: { current: HTMLDivElement | null }, props: DiffEditorProps): MountedView | null {
  const { proposal, name, editable, mode, bars, wrap } = props;
  const t = useT();
  const [mounted, setMounted] = useState<MountedView | null>(null);
  useEffect(() => {
    const parent = box.current;
    if (!parent) return undefined;
    const options = {
      base: proposal.base,
      proposal: proposal.ai,
      text: proposal.store.getState().text,
      editable,
      bars,
      wrap,
      words: editorWords(t, proposal.diff),
      memory: proposal.editorMemory,
      onChange: (text: string) => {
        proposal.setText(text);
      },
    };
    const view = mode === 'split' ? mountSplit(parent, options) : mountUnified(parent, options);
    const stopFollowing = followCounts(proposal, view);
    const stopOffering = offerToTests(name, view);
    if (editable === 'editable')
      proposal.replaceInEditor = (text) => {
        replaceText(view.after, text);
      };
    let live = true;
    colour(view, proposal, () => live);
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the editor is made by the effect itself
    setMounted(view);
    return () => {
      live = false;
      stopFollowing();
      stopOffering();
      proposal.replaceInEditor = null;
      proposal.editorMemory = rememberEditor(view.after);
      view.destroy();
      setMounted(null);
    };
  }, [box, proposal, name, editable, mode, bars, wrap, t]);
  return mounted;
}

/** Marks follow the counts: whose lines they are, and which lines differ. */
function followCounts(proposal: Proposal, { after }: MountedView): () => void {
  const show = () => {
    const { owners, dropped, hunks, statState } = proposal.store.getState();
    if (statState !== 'fresh') return;
    // Most answers say what is shown already; drawing it again would cost a frame while somebody types.
    const effects: StateEffect<unknown>[] = [];
    if (!sameOwnership(after.state.field(ownershipField), { owners, dropped }))
      effects.push(setOwnership.of({ owners, dropped }));
    if (!sameHunks(hunksIn(after.state), hunks)) effects.push(setHunks.of(hunks));
    if (effects.length > 0) after.dispatch({ effects });
  };
  show();
  return proposal.store.subscribe((state, before) => {
    if (state.owners !== before.owners || state.statState !== before.statState) show();
  });
}

/** The text is on screen and takes keys before it has colours. */
function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      window.setTimeout(resolve, 0);
    });
  });
}

/** What a text is written in: the cell of a notebook is not the notebook's JSON. */
function languagePath({ file_path: path, notebook }: FileDiff): string {
  if (!notebook) return path;
  return notebook.cell_type === 'markdown' ? 'cell.md' : 'cell.py';
}

function colour({ after, before }: MountedView, proposal: Proposal, isLive: () => boolean): void {
  afterPaint()
    .then(() => loadLanguage(languagePath(proposal.diff), proposal.ai))
    .then((language) => {
      if (!language || !isLive()) return;
      for (const view of before ? [after, before] : [after]) {
        view.dispatch({ effects: languageCompartment.reconfigure(language) });
      }
    })
    // Without colours the text is still there.
    .catch(() => undefined);
}

function offerToTests(name: string, { after }: MountedView): () => void {
  const stopText = provide(`editorText:${name}`, (side) => {
    const { base } = after.state.field(hunkField);
    return side === 'after' ? after.state.doc.toString() : base.lines.join('\n');
  });
  const stopSet = provide(`editorSet:${name}`, (from, to, text) => {
    after.dispatch({ changes: { from, to, insert: text }, userEvent: 'input.type' });
  });
  return () => {
    stopText();
    stopSet();
  };
}
