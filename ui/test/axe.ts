import axe from 'axe-core';

/** Rules that need real layout or the whole page. */
const NOT_HERE = ['color-contrast', 'region', 'target-size', 'scrollable-region-focusable'];

/** What is wrong for people with assistive technology, as readable lines. */
export async function violations(root: Element = document.body): Promise<string[]> {
  const rules = Object.fromEntries(NOT_HERE.map((rule) => [rule, { enabled: false }]));
  const result = await axe.run(root, { rules, resultTypes: ['violations'] });
  return result.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 200)}`),
  );
}
