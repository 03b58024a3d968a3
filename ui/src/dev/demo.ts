export function demoBackend(_query: URLSearchParams): never { throw new Error('x'); }
