export { FirstRun } from './FirstRun';
