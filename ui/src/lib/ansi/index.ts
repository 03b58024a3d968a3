export { LineReader, textOf, type LogLine, type Span } from './lines';
export { type Color, type Style } from './style';
export { parseHex, readableOn, toHex } from './readable';
