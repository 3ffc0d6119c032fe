/** Escapes a text for HTML, also within an attribute's double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/*
 * The pictures within the lines of the server's own pages, as HTML. Their colors come from the style sheet. They carry no
 * text, so screen readers skip them.
 */

const line =
  'fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"';

function icon(content: string, name = ''): string {
  return `<svg class="icon${name}" aria-hidden="true" width="18" height="18" viewBox="0 0 24 24" ${line}>${content}</svg>`;
}

function mark(name: string, content: string): string {
  return `<svg class="mark ${name}" aria-hidden="true" width="18" height="18" viewBox="0 0 16 16">${content}</svg>`;
}

/** The name and logo of the product. */
export const brand = `<svg class="logo" aria-hidden="true" width="28" height="28" viewBox="0 0 28 28" fill="none" stroke-width="3.6" stroke-linecap="round"><path d="M5.6 10.2A9 9 0 0 1 21.4 8.2"/><path d="M4.9 15.2a9 9 0 0 0 15.7 3.9A9 9 0 0 0 22.9 13.4"/><path d="m19.8 20 3.6 4.2"/></svg><span>Lingua<b>Loop</b></span>`;

/** Points in the direction of reading; the style sheet mirrors it. */
export const arrow = icon('<path d="M5 12h14"/><path d="m12 5 7 7-7 7"/>', ' arrow');

export const check = icon('<path d="M20 6 9 17l-5-5"/>');

export const globe = icon(
  '<circle cx="12" cy="12" r="10"/><path d="M12 2a14.5 14.5 0 0 0 0 20 14.5 14.5 0 0 0 0-20"/><path d="M2 12h20"/>',
);

/** The status marks of the editor: a disc with a tick, and an octagon. */
export const confirmedMark = mark(
  'confirmed',
  '<circle cx="8" cy="8" r="6.6" fill="currentColor"/><path d="m5 8.2 2.1 2.1L11.1 6" fill="none" stroke="var(--surface)" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
);
export const criticalMark = mark(
  'critical',
  '<path d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2z" fill="currentColor"/><path d="M8 4.3v4.6M8 11.5v.1" stroke="var(--surface)" stroke-width="1.8" stroke-linecap="round"/>',
);
