export { CodeBlock } from './CodeBlock';
export { Button, IconButton } from './Button';
export { Dialog } from './Dialog';
export { Menu, MenuHeading, MenuItem } from './Menu';
export { Empty, Failure, Loading } from './Placeholder';
export { Popover } from './Popover';
export { Markdown } from './markdown/Markdown';
export { VisibleText } from './VisibleText';
export { Segmented, Toggle } from './Segmented';
