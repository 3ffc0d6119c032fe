import { deployment } from '../../deployment.ts';

/** What can be done with a file: its text translated page by page, its layout kept, both, or neither (B 4.1, 4.3). */
export interface FilePaths {
  text: boolean;
  layout: boolean;
}

const textExtensions = /\.(csv|docx|html?|json|md|pdf|txt|xml)$/i;
const layoutExtensions = /\.(pdf|docx|xlsx)$/i;

/** The extensions that a file dialog offers. */
export const accepted = '.csv,.docx,.htm,.html,.json,.md,.pdf,.txt,.xlsx,.xml';

/** The ways in which a file may be translated, by its extension. The service decides; this says it before anything is sent. */
export function pathsOf({ name }: Pick<File, 'name'>): FilePaths {
  return { text: textExtensions.test(name), layout: layoutExtensions.test(name) };
}

/** Whether the service would refuse a file for its size. */
export function isTooLarge({ size }: Pick<File, 'size'>): boolean {
  return size > deployment.maxUploadBytes;
}
