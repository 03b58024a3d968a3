/** Bytes as Base64, for the wire. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Base64 as bytes. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Text as typed, in UTF-8 and Base64. */
export function textToBase64(text: string): string {
  return toBase64(new TextEncoder().encode(text));
}

/** A binary report of the terminal (one character per byte) as Base64. */
export function binaryToBase64(data: string): string {
  return btoa(data);
}
