import { translations } from '#sdk/translations.ts';
import { bound } from './client.ts';

/** The methods of text jobs, which the inbox and the editor of a document do not need. */
export const translationService = bound(translations);
