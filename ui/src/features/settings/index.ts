export { default } from './SettingsScreen';
