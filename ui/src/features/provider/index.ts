export { ProviderForm } from './ProviderForm';
export { emptyEntry, isComplete, useProviderForm, type ProviderFormModel } from './useProviderForm';
