import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Port of `npm run dev`; the desktop shell's development set-up names the same one. */
const DEV_PORT = 5173;

/** Chunks with names of their own: loaded on first use, measured by `scripts/check-bundle.mjs`. */
const NAMED_CHUNKS = [
  { name: 'codemirror', test: /node_modules\/@codemirror\/(state|view|language|commands|search|merge)\// },
  { name: 'lezer', test: /node_modules\/@lezer\/(common|highlight|lr)\// },
  { name: 'xterm', test: /node_modules\/@xterm\// },
];

export default defineConfig({
  plugins: [react()],
  clearScreen: false,
  resolve: {
    alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) },
  },
  server: { port: DEV_PORT, strictPort: true },
  worker: { format: 'es' },
  build: {
    target: 'safari17.4',
    // Text that became part of a page cannot be cached apart; the files are local anyway.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rolldownOptions: { output: { codeSplitting: { groups: NAMED_CHUNKS } } },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['./test/setup.ts'],
    restoreMocks: true,
    css: false,
  },
});
