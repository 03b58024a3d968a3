export { app } from '../en/app';
