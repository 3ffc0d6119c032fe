import type { BrowserContext, Page } from 'playwright-core';

/**
 * An event of the editor of texts, read from the document and not from the application. `input`: the field has another
 * text. `approve`, `save`: the key was pressed while the field had this text. `saved`: the footer shows that everything is
 * saved on the server.
 */
export interface Seen {
  kind: 'input' | 'approve' | 'save' | 'saved';
  /** Milliseconds since 1970. */
  at: number;
  /** The source text of the open item. */
  source: string;
  /** The text in the field. */
  text: string;
  /** The number of the field. Each new field has another number, because it starts with the stored text again. */
  field: number;
}

/** Reports the events of all pages of a context immediately, so that none is lost if a page ends. */
export async function witness(
  context: BrowserContext,
  tell: (seen: Seen, page: Page) => void,
): Promise<void> {
  await context.exposeBinding('tellTest', ({ page }, seen: Seen) => tell(seen, page));
  await context.addInitScript(watchEditor);
}

/** Reports the events of the editor. Runs in the page. */
function watchEditor(): void {
  const { tellTest } = globalThis as unknown as { tellTest: (seen: Seen) => void };
  const fields = new WeakMap<Element, number>();
  let count = 0;
  const numberOf = (field: Element) => {
    const known = fields.get(field) ?? ++count;
    fields.set(field, known);
    return known;
  };
  const editor = () => document.querySelector<HTMLTextAreaElement>('textarea[data-edited]');
  const tellOf = (kind: Seen['kind'], field: HTMLTextAreaElement | null) => {
    const source = field?.closest('[role=row]')?.querySelector('[role=gridcell] [lang]')?.textContent ?? '';
    const text = field?.value ?? '';
    tellTest({ kind, at: Date.now(), source, text, field: field ? numberOf(field) : 0 });
  };
  addEventListener('input', ({ target }) => target === editor() && tellOf('input', editor()), true);
  addEventListener(
    'keydown',
    ({ key, ctrlKey, target }) => {
      if (!ctrlKey || target !== editor()) return;
      if (key === 'Enter') tellOf('approve', editor());
      if (key === 's') tellOf('save', editor());
    },
    true,
  );
  let last = '';
  new MutationObserver(() => {
    const note = document.querySelector('footer [role=status]')?.textContent?.trim() ?? '';
    if (note !== last && note.startsWith('Saved')) tellOf('saved', editor());
    last = note;
  }).observe(document, { childList: true, characterData: true, subtree: true });
}
