/** Lines of a text with LF breaks. An empty piece after the last break is no line; a lone CR is data. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Numbers lines, so that equal lines have equal numbers. */
export class LineNumbers {
  private readonly numbers = new Map<string, number>();

  of(lines: readonly string[]): Int32Array {
    const ids = new Int32Array(lines.length);
    for (const [at, line] of lines.entries()) {
      let id = this.numbers.get(line);
      if (id === undefined) {
        id = this.numbers.size;
        this.numbers.set(line, id);
      }
      ids[at] = id;
    }
    return ids;
  }
}
