export { Dock } from './Dock';
