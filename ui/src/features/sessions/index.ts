export { Sidebar } from './Sidebar';
export { TitleEdit } from './TitleEdit';
