import { deployment } from '../../deployment.ts';

/** The ways to translate a file: its text page by page, with its layout, both, or neither. */
export interface FilePaths {
  text: boolean;
  layout: boolean;
}

const textExtensions = /\.(csv|docx|html?|json|md|pdf|txt|xml)$/i;
const layoutExtensions = /\.(pdf|docx|xlsx)$/i;

/** The extensions in a file dialog. */
export const accepted = '.csv,.docx,.htm,.html,.json,.md,.pdf,.txt,.xlsx,.xml';

/** The ways in which a file may be translated, by its extension. The service decides; this is shown before sending. */
export function pathsOf({ name }: Pick<File, 'name'>): FilePaths {
  return { text: textExtensions.test(name), layout: layoutExtensions.test(name) };
}

/** Whether the service would reject a file for its size. */
export function isTooLarge({ size }: Pick<File, 'size'>): boolean {
  return size > deployment.maxUploadBytes;
}
