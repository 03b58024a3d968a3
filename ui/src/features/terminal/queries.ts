import type { IDisposable, Terminal } from '@xterm/xterm';

/**
 * Keeps the view from answering questions of the program. The backend is the only one that answers; a view that did so
 * too would type its answer into the process, once per window and again with each replay.
 */
export function swallowQueries(terminal: Terminal): IDisposable[] {
  const { parser } = terminal;
  const silent = () => true;
  const isQuestion = (data: string) => data.split(';').includes('?');
  return [
    // Device status and cursor position.
    parser.registerCsiHandler({ final: 'n' }, silent),
    parser.registerCsiHandler({ prefix: '?', final: 'n' }, silent),
    // Device attributes.
    parser.registerCsiHandler({ final: 'c' }, silent),
    parser.registerCsiHandler({ prefix: '>', final: 'c' }, silent),
    parser.registerCsiHandler({ prefix: '=', final: 'c' }, silent),
    // Modes, version, settings.
    parser.registerCsiHandler({ intermediates: '$', final: 'p' }, silent),
    parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, silent),
    parser.registerCsiHandler({ prefix: '>', final: 'q' }, silent),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, silent),
    // Colours; setting them is left to the view.
    parser.registerOscHandler(4, isQuestion),
    parser.registerOscHandler(10, isQuestion),
    parser.registerOscHandler(11, isQuestion),
    parser.registerOscHandler(12, isQuestion),
    // Titles and the clipboard are not the program's business.
    parser.registerOscHandler(0, silent),
    parser.registerOscHandler(2, silent),
    parser.registerOscHandler(52, silent),
  ];
}
