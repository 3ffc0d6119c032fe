import type { WorkspaceEvent } from '../../../src/index.ts';

const pages: Record<WorkspaceEvent['resource'], (id: string) => string> = {
  translation: (id) => `/jobs/${id}`,
  document: (id) => `/app/edit/documents/${id}`,
  memory_import: () => '/app/memories',
};

/** Names of resources at the beginning of a message. */
const nouns: Record<WorkspaceEvent['resource'], string> = {
  translation: 'Translation',
  document: 'Document',
  memory_import: 'TM import',
};

/**
 * Returns the message of an event for an incoming webhook of Slack, with a link to its page.
 * @param baseUrl the URL of the service, without a slash at the end
 */
export function slackMessage(event: WorkspaceEvent, baseUrl: string): { text: string } {
  const { type, resource, resource_id: id } = event;
  const [kind, change] = type.split('.') as [string, string];
  const what = change.replaceAll('_', ' ');
  const link = `<${escapeText(baseUrl + pages[resource](encodeURIComponent(id)))}|${escapeText(id)}>`;
  const state = kind === 'review' ? `review ${what}` : what;
  return { text: `${nouns[resource]} ${link}: *${state}*` };
}

/** Escapes the three characters that have a meaning in messages of Slack. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
