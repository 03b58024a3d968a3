/** For what the types say cannot be; draws nothing if the backend is newer than the window. */
export function assertNever(value: never): null {
  console.warn('unknown kind', value);
  return null;
}
