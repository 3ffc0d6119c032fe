import { useEffect, useState } from 'react';

/** An attribute that marks elements of the same translation: the source text, and the text field of the translation. */
export const unitMark = { 'data-unit': '' };

const unit = '[data-unit]';
const source = '[data-source]';

/** Maximum length of a selection that may be a term, in UTF-16 units. A glossary term has at most 500 code points. */
const longest = 1000;

/** Words that are selected in a source text. */
export interface SelectedWords {
  words: string;
  /** The place of the words, which changes with the text. */
  range: Range;
}

/**
 * The words that were last selected in a source text. They stay while words in the translation are selected, and change
 * with any other selection.
 */
export function useSelectedWords(): SelectedWords | undefined {
  const [selected, setSelected] = useState<SelectedWords>();
  useEffect(() => {
    let isPressed = false;
    const look = () => {
      // The button appears only after the selection has ended. A selection in a text field does not change the selected
      // words.
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

/**
 * The words that are selected in the translation of the source words. Without source words, the selected words of the
 * edited field.
 */
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
