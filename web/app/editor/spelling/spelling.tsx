import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BookPlus } from 'lucide-react';
import { type RefObject, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { ToolBar } from '../characters.tsx';
import { insertText } from '../insert-text.ts';
import { dictionaryOf, Speller } from './speller.ts';
import { type Allowed, plainOf, type Word, wordsToCheck } from './words.ts';

/** Milliseconds without a keystroke before the spelling is checked. */
const pause = 250;

/** The speller of the last language: its dictionary takes a second to load, and much memory. */
let current: { address: string; speller: Speller } | undefined;

function spellerOf(language: string): Speller | undefined {
  const address = dictionaryOf(language);
  if (address === undefined) return undefined;
  if (current?.address !== address) {
    current?.speller.close();
    current = { address, speller: new Speller(address, language) };
  }
  return current.speller;
}

/** The words that the workspace added to its dictionary of a language, and how to add another one. */
function useOwnWords(language: string) {
  const queries = useQueryClient();
  const queryKey = queryKeys.terminology.spelling(language);
  const { data } = useQuery({
    queryKey,
    queryFn: () => procedures.terminology.spellingWords.query({ lang: language }),
    staleTime: 60_000,
  });
  const own = useMemo(() => new Set(data?.words.map(plainOf)), [data]);
  const addWord = async (word: string) => {
    const changed = await procedures.terminology.setSpellingWord.mutate({ lang: language, word });
    queries.setQueryData(queryKey, changed);
  };
  return { own, addWord };
}

/**
 * The misspelled words of a text.
 * @param own words of the workspace, which are not checked
 * @param onFound gets them, too
 */
function useMisspelled(
  speller: Speller | undefined,
  text: string,
  allowed: Allowed,
  own: ReadonlySet<string>,
  onFound: (words: readonly Word[]) => void,
): readonly Word[] {
  const [found, setFound] = useState<readonly Word[]>([]);
  const check = useEffectEvent(async (left: AbortSignal) => {
    if (!speller) return;
    const words = wordsToCheck(text, allowed).filter((word) => !own.has(plainOf(word.text)));
    const wrong = await speller.wrongOf(words);
    if (left.aborted) return;
    const misspelled = words.filter((word) => wrong.has(plainOf(word.text)));
    setFound(misspelled);
    onFound(misspelled);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: these change what is misspelled
  useEffect(() => {
    const left = new AbortController();
    const timer = setTimeout(() => void check(left.signal), pause);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [text, own, speller, allowed.terms]);
  return found;
}

/**
 * Finds the misspelled words of the open segment, and offers suggestions for the one that is clicked, or the next one
 * after the caret by key. Renders nothing else.
 * @param offset converts a place in `text` into one of the field, which may have tags
 */
export default function Spelling({
  field,
  text,
  allowed,
  offset,
  onFound,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  allowed: Allowed;
  offset: (word: Word) => { start: number; end: number };
  onFound: (words: readonly Word[]) => void;
}) {
  const t = useT();
  const { language } = allowed;
  const speller = useMemo(() => spellerOf(language), [language]);
  const [chosen, setChosen] = useState<Word>();
  const [suggestions, setSuggestions] = useState<readonly string[]>();
  const [takesFocus, setTakesFocus] = useState(false);
  const { own, addWord } = useOwnWords(language);
  const { run, error, isBusy } = useAction();
  const found = useMisspelled(speller, text, allowed, own, onFound);

  const choose = (word: Word | undefined, byKey: boolean) => {
    setChosen(word);
    setSuggestions(undefined);
    setTakesFocus(byKey);
    if (word) void speller?.suggest(word.text).then(setSuggestions);
  };
  const close = () => {
    setChosen(undefined);
    field.current?.focus();
  };
  const onClick = useEffectEvent(() => {
    const at = field.current?.selectionStart ?? -1;
    choose(
      found.find((word) => offset(word).start <= at && offset(word).end >= at),
      false,
    );
  });
  useEffect(() => {
    const element = field.current;
    const listener = () => onClick();
    element?.addEventListener('click', listener);
    return () => element?.removeEventListener('click', listener);
  }, [field]);
  useCommands({
    spelling() {
      const at = field.current?.selectionEnd ?? 0;
      const next = found.find((word) => offset(word).start >= at) ?? found[0];
      if (!next) return announce(t('tools.no_misspelled'));
      field.current?.setSelectionRange(offset(next).start, offset(next).end);
      choose(next, true);
    },
  });

  if (!chosen || !found.includes(chosen)) return null;
  const use = (suggestion: string) => {
    const { start, end } = offset(chosen);
    if (field.current) insertText(field.current, suggestion, [start, end]);
    close();
  };
  const add = run(async () => {
    await addWord(chosen.text);
    announce(t('tools.word_added', { word: chosen.text }));
    close();
  });
  return (
    <>
      <ToolBar
        key={`${chosen.start} ${suggestions === undefined}`}
        label={t('tools.suggestions', { word: chosen.text })}
        takesFocus={takesFocus}
        onClose={close}
      >
        {[
          ...(suggestions ?? []).map((suggestion) => (
            <button
              key={suggestion}
              type="button"
              className="ghost small"
              lang={language}
              onClick={() => use(suggestion)}
            >
              {suggestion}
            </button>
          )),
          <button key=" add" type="button" className="ghost small" aria-busy={isBusy} onClick={add}>
            <BookPlus size={14} aria-hidden /> {t('tools.add_word')}
          </button>,
        ]}
      </ToolBar>
      {suggestions?.length === 0 && <p className="hint">{t('tools.no_suggestions')}</p>}
      {error ? <Problem error={error} /> : null}
    </>
  );
}
