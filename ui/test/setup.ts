import '@testing-library/jest-dom/vitest';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';

// What jsdom lacks and the window uses. Sizes are made up: lists get a viewport of 600 pixels and rows of 40.

const VIEWPORT = { width: 800, height: 600 };
const ROW = { width: 800, height: 40 };

class FakeResizeObserver implements ResizeObserver {
  private readonly callback: ResizeObserverCallback;

  constructor(callback: ResizeObserverCallback) {
    this.callback = callback;
  }

  observe(target: Element): void {
    const isViewport = target.getAttribute('role') === 'log' || /-scroll|-virtual/.test(target.className);
    const size = isViewport ? VIEWPORT : ROW;
    const contentRect = { ...size, x: 0, y: 0, top: 0, left: 0, right: size.width, bottom: size.height };
    queueMicrotask(() => {
      this.callback([{ target, contentRect } as unknown as ResizeObserverEntry], this);
    });
  }

  unobserve(): void {
    // Nothing is kept.
  }

  disconnect(): void {
    // Nothing is kept.
  }
}

window.ResizeObserver = FakeResizeObserver;
window.matchMedia = (query) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }) as unknown as MediaQueryList;
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.scrollTo = function scrollTo() {
  // Nothing scrolls here.
};
const noRects = () => [] as unknown as DOMRectList;
Range.prototype.getClientRects = noRects;
Range.prototype.getBoundingClientRect = () => new DOMRect();
Element.prototype.getClientRects = function getClientRects() {
  return [this.getBoundingClientRect()] as unknown as DOMRectList;
};

// No terminal is drawn here; xterm only asks whether it could.
HTMLCanvasElement.prototype.getContext = () => null;

beforeEach(() => {
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: vi.fn(() => Promise.resolve()) },
  });
});

afterEach(() => {
  cleanup();
  localStorage.clear();
});
