/** Texts of the scripted session. */

const BEFORE_HUNK = Array.from({ length: 37 }, (_, at) => `// line ${at + 1} of the parser`).join('\n');

export const PARSER_BASE = `${BEFORE_HUNK}
fn parse_expr(&mut self) -> Result<Node> {
    let tok = self.peek();
    match self.peek() {
        None => panic!("eof"),
        Some(t) => self.rest(t),
    }
}

${Array.from({ length: 118 }, (_, at) => `fn helper_${at}() -> usize { ${at} }`).join('\n')}

fn finish(&mut self) {
    self.done = true;
}
`;

export const PARSER_PROPOSAL = PARSER_BASE.replace(
  '        None => panic!("eof"),\n        Some(t) => self.rest(t),\n',
  '        None => return Ok(Node::End),\n        Some(t) => self.rest(t)?,\n',
).replace('    self.done = true;\n', '    self.done = true;\n    self.flush();\n');

export const ANSWER = `I will read the lexer first, then change the **end-of-input** branch. Three things matter:

1. \`peek()\` returns \`None\` at the end
2. the caller expects a node, so we return \`Node::End\`
3. see [the reference](https://doc.rust-lang.org/reference/)

\`\`\`rust
match self.peek() {
    None => return Ok(Node::End), // no panic any more
    Some(t) => self.rest(t)?,
}
\`\`\`

| case | before | after |
|---|---|---|
| end of input | panic | \`Node::End\` |
| broken token | error | error |
`;

export const TERMINAL_OUTPUT = [
  '\u001b[1;32m   Compiling\u001b[0m parser v0.3.1 (/home/me/my-repo)',
  '\u001b[1;32m    Finished\u001b[0m `test` profile in 2.14s',
  '',
  'running 41 tests',
  'test lexer::eof ... \u001b[32mok\u001b[0m',
  'test lexer::中文标识符 ... \u001b[32mok\u001b[0m',
  'test parser::nested ... \u001b[31mFAILED\u001b[0m',
  'test parser::eof_nested ... ',
].join('\r\n');

const BIG_LINES = Array.from(
  { length: 5_000 },
  (_, at) => `    let value_${at} = compute(${at % 97}, "text ${at}");`,
);

/** 5,000 lines with 250 changes, and with every line changed. */
export const BIG_BASE = `${BIG_LINES.join('\n')}\n`;
export const BIG_PROPOSAL = `${BIG_LINES.map((line, at) => (at % 20 === 7 ? `${line} // checked` : line)).join('\n')}\n`;
export const BIG_REWRITE = `${BIG_LINES.map((line) => line.replace('compute', 'calculate')).join('\n')}\n`;
