export { work } from '../en/work';
