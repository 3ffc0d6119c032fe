import { useEffect, useState } from 'react';

/** Marks elements of the same translation: the source text and the field of its translation. */
export const unitMark = { 'data-unit': '' };

const unit = '[data-unit]';
const source = '[data-source]';

/** UTF-16 units of a selection that may be a term. A glossary term has at most 500 code points. */
const longest = 1000;

/** Words that are selected in a source text. */
export interface SelectedWords {
  words: string;
  /** Their place, which moves with the text. */
  range: Range;
}

/**
 * The last words selected in a source text. They are kept while words in the translation are selected, until something else
 * is selected.
 */
export function useSelectedWords(): SelectedWords | undefined {
  const [selected, setSelected] = useState<SelectedWords>();
  useEffect(() => {
    let isPressed = false;
    const look = () => {
      // The button does not appear during the selection; and a text field has a separate selection.
      if (isPressed || document.activeElement?.matches('textarea, input')) return;
      setSelected(selectedWords());
    };
    const press = () => {
      isPressed = true;
    };
    const release = () => {
      isPressed = false;
      look();
    };
    document.addEventListener('selectionchange', look);
    document.addEventListener('pointerdown', press);
    document.addEventListener('pointerup', release);
    document.addEventListener('pointercancel', release);
    return () => {
      document.removeEventListener('selectionchange', look);
      document.removeEventListener('pointerdown', press);
      document.removeEventListener('pointerup', release);
      document.removeEventListener('pointercancel', release);
    };
  }, []);
  return selected;
}

function selectedWords(): SelectedWords | undefined {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return undefined;
  const text = elementOf(selection.anchorNode)?.closest(source);
  if (!text?.contains(selection.focusNode)) return undefined;
  const words = selection.toString().trim();
  if (words === '' || words.length > longest || /[\n\r]/.test(words)) return undefined;
  return { words, range: selection.getRangeAt(0).cloneRange() };
}

/** The words selected in the translation of some words; without those, in the edited field. */
export function wordsOfTranslation(of: SelectedWords | undefined): string {
  const active = document.activeElement;
  const field = of
    ? elementOf(of.range.startContainer)?.closest(unit)?.querySelector('textarea')
    : active instanceof HTMLTextAreaElement && active.closest(unit) && active;
  if (!field) return '';
  const words = field.value.slice(field.selectionStart, field.selectionEnd).trim();
  return words.length > longest || /[\n\r]/.test(words) ? '' : words;
}

function elementOf(node: Node | null): Element | null {
  return node instanceof Element ? node : (node?.parentElement ?? null);
}
