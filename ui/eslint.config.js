import { defineConfig } from 'eslint/config';
import importX from 'eslint-plugin-import-x';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Letters of any language that a person could read. */
const LETTERS = '/[\\p{L}]{2,}/u';

/** Texts come from the catalogues, colours from the tokens. */
const NO_LITERALS = [
  {
    selector: `JSXText[value=${LETTERS}]`,
    message: 'Text comes from the catalogue: t(…).',
  },
  {
    selector: `JSXAttribute[name.name=/^(aria-label|title|alt|placeholder|aria-description)$/] > Literal[value=${LETTERS}]`,
    message: 'Text comes from the catalogue: t(…).',
  },
  {
    selector: 'Literal[value=/^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i]',
    message: 'Colours are tokens in styles/tokens.css.',
  },
  {
    selector: 'Literal[value=/^(?:rgb|hsl|oklch)a?\\(/i]',
    message: 'Colours are tokens in styles/tokens.css.',
  },
];

const FEATURES = [
  'approvals',
  'changes',
  'chat',
  'diff',
  'first-run',
  'provider',
  'sessions',
  'settings',
  'shells',
  'terminal',
  'todos',
  'tools',
];

/** Who may use whom. Leaves use no other feature. */
const MAY_USE = {
  approvals: ['diff'],
  changes: ['diff'],
  chat: ['approvals', 'changes', 'sessions', 'todos', 'tools'],
  diff: [],
  'first-run': ['provider'],
  provider: [],
  sessions: ['diff'],
  settings: ['provider'],
  shells: [],
  terminal: [],
  todos: [],
  tools: ['changes', 'diff', 'terminal', 'todos'],
};

const OUTSIDE = [
  { group: ['../../*'], message: 'Use @/ for another folder.' },
  { group: ['@tauri-apps/*'], message: 'Only backend/ talks to the shell.' },
  { group: ['@/features/*/*'], message: 'Use what the feature offers in its index.' },
];

function features(name) {
  const banned = FEATURES.filter((other) => other !== name && !MAY_USE[name].includes(other));
  return {
    files: [`src/features/${name}/**`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...OUTSIDE.filter(({ group }) => group[0] !== '../../*'),
            { group: ['@/app/*'], message: 'The window composes features, not the other way round.' },
            { group: banned.map((other) => `@/features/${other}`), message: 'Features stay apart.' },
          ],
        },
      ],
    },
  };
}

export default defineConfig(
  { ignores: ['dist', 'node_modules', 'src/bindings'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'max-lines': ['error', { max: 600 }],
      'no-console': ['error', { allow: ['warn', 'error', 'debug'] }],
      'no-eval': 'error',
    },
    settings: {
      'import-x/resolver-next': [
        (await import('eslint-plugin-import-x')).createNodeResolver({
          extensions: ['.ts', '.tsx', '.js'],
          alias: { '@': [`${import.meta.dirname}/src`] },
        }),
      ],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
    },
  },
  {
    files: ['src/**/*.tsx'],
    extends: [jsxA11y.flatConfigs.strict, reactHooks.configs.flat.recommended],
    rules: {
      'no-restricted-syntax': ['error', ...NO_LITERALS],
      // What scrolls must be reached by keyboard, also where nothing in it can be pressed.
      'jsx-a11y/no-noninteractive-tabindex': [
        'error',
        { tags: ['pre'], roles: ['group', 'log', 'region', 'separator'] },
      ],
      // Regions listen to the keys of what is inside; a click needs a control.
      'jsx-a11y/no-noninteractive-element-interactions': ['error', { handlers: ['onClick', 'onMouseDown'] }],
      'jsx-a11y/label-has-associated-control': ['error', { depth: 4 }],
      // For the React compiler, which this project does not use.
      'react-hooks/immutability': 'off',
      'react-hooks/preserve-manual-memoization': 'off',
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      'no-restricted-syntax': ['error', ...NO_LITERALS.slice(2)],
      'react-hooks/immutability': 'off',
      'react-hooks/preserve-manual-memoization': 'off',
    },
  },
  {
    files: ['src/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: OUTSIDE }] },
  },
  {
    files: ['src/backend/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@/features/*', '@/app/*', '@/state', '@/components'],
              message: 'The backend knows no views.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/components/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...OUTSIDE,
            {
              group: ['@/features/*', '@/app/*', '@/state', '@/backend'],
              message: 'Components know nothing of the domain.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/state/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...OUTSIDE,
            { group: ['@/features/*', '@/app/*', '@/components'], message: 'State knows no views.' },
          ],
        },
      ],
    },
  },
  ...FEATURES.map(features),
  {
    files: ['src/**/*.test.{ts,tsx}', 'test/**', 'src/dev/**', 'src/testHook.ts'],
    rules: {
      'no-restricted-imports': 'off',
      'no-restricted-syntax': 'off',
      'max-lines': ['error', { max: 600 }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // Old key codes are what input methods are known by.
      '@typescript-eslint/no-deprecated': 'off',
    },
  },
);
