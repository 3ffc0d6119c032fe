import { BookPlus } from 'lucide-react';
import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { loadWords, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import type { Term } from './new-term-dialog.tsx';
import { type SelectedWords, useSelectedWords, wordsOfTranslation } from './selected-words.ts';
import styles from './terms.module.css';

const NewTermDialog = lazy(async () => {
  const [{ NewTermDialog: loaded }] = await Promise.all([import('./new-term-dialog.tsx'), loadWords('sets')]);
  return { default: loaded };
});

/** Maximum number of characters of the selected words that the button shows. */
const maxShown = 30;

/**
 * Adds selected words of a source text to a glossary. If words in the translation are selected, too, they become the
 * target term. Started with the button below the selected words, or with a command, which also works without a
 * selection.
 * @param source the language of the source texts
 * @param target the language of the translations
 */
export function NewTerm({ source, target }: { source: string; target: string }) {
  const selected = useSelectedWords();
  const [term, setTerm] = useState<Term>();
  // If the text was replaced after the selection, the selected words no longer exist.
  const current = selected?.range.startContainer.isConnected ? selected : undefined;
  const open = () => setTerm({ source: current?.words ?? '', target: wordsOfTranslation(current) });
  useCommands({ addTerm: open });
  return (
    <>
      {current && !term && <Offer selected={current} onClick={open} />}
      {term && (
        <Suspense>
          <NewTermDialog
            term={term}
            sourceLang={source}
            targetLang={target}
            onClose={() => setTerm(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

/** The button below the selected words. It keeps its place next to them when the page is scrolled. */
function Offer({ selected: { words, range }, onClick }: { selected: SelectedWords; onClick: () => void }) {
  const t = useT();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const place = () => {
      const element = button.current;
      if (!element) return;
      const { left, bottom } = range.getBoundingClientRect();
      const most = { left: innerWidth - element.offsetWidth, top: innerHeight - element.offsetHeight };
      element.style.left = `${Math.max(0, Math.min(left, most.left - 16))}px`;
      element.style.top = `${Math.max(0, Math.min(bottom + 6, most.top))}px`;
    };
    place();
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      removeEventListener('resize', place);
    };
  }, [range]);
  const characters = [...words];
  const shown = characters.length > maxShown ? `${characters.slice(0, maxShown).join('')}…` : words;
  return (
    <button
      ref={button}
      type="button"
      className={styles.offer}
      // Prevents that a click on the button removes the selection or moves the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      <BookPlus size={16} aria-hidden /> {t('editor.add_words', { words: shown })}
    </button>
  );
}
