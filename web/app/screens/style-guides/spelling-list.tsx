import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { dictionaryOf } from '../../editor/spelling/speller.ts';
import { useT } from '../../i18n.tsx';
import { Fill, Row } from '../../kit/box.tsx';
import { Field } from '../../kit/field.tsx';
import { Select } from '../../kit/select.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { useDefaultLanguages } from '../general/default-languages.ts';

/** Maximum number of words that are shown. A list has up to 10,000. */
const most = 200;

/** The words that reviewers have added to the dictionaries of the editor. Each can be removed. */
export function SpellingList() {
  const t = useT();
  const queries = useQueryClient();
  const { languages } = useLanguages();
  const withDictionary = languages.filter(({ code }) => dictionaryOf(code));
  const preferred = useDefaultLanguages()?.targets.find((code) => dictionaryOf(code));
  const [chosen, setChosen] = useState<string>();
  const [sought, setSought] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const { run, error, isBusy } = useAction();
  const lang = chosen ?? preferred ?? withDictionary[0]?.code ?? 'en';
  const queryKey = queryKeys.terminology.spelling(lang);
  const reading = useQuery({
    queryKey,
    queryFn: () => procedures.terminology.spellingWords.query({ lang }),
  });
  const remove = (word: string) =>
    run(async () => {
      const request = { lang, word, correct: false };
      queries.setQueryData(queryKey, await procedures.terminology.setSpellingWord.mutate(request));
      announce(t('styleGuides.spelling_removed', { word }));
      // The button that had the focus is gone.
      search.current?.focus();
    });
  return (
    <Setting id="spelling" title={t('styleGuides.spelling')} why={t('styleGuides.spelling_why')}>
      {error !== undefined && <Problem error={error} />}
      <Row gap={4} align="end">
        <Select
          label={t('styleGuides.language')}
          value={lang}
          options={withDictionary.map(({ code, name }) => ({ value: code as string, name }))}
          onChange={setChosen}
        />
        <Fill least={12}>
          <Field
            label={t('styleGuides.spelling_find')}
            ref={search}
            type="search"
            dir="auto"
            value={sought}
            onValue={setSought}
          />
        </Fill>
      </Row>
      <Read from={reading} lines={2}>
        {({ words }) => {
          const found = words.filter((word) => word.toLowerCase().includes(sought.trim().toLowerCase()));
          return (
            <>
              <Row as="ul" gap={1} lang={lang} translate="no">
                {found.slice(0, most).map((word) => (
                  <Row as="li" gap={0} key={word}>
                    <bdi>{word}</bdi>
                    <button
                      type="button"
                      className="ghost small"
                      aria-label={t('styleGuides.spelling_remove', { word })}
                      title={t('styleGuides.spelling_remove', { word })}
                      aria-disabled={isBusy}
                      onClick={remove(word)}
                    >
                      <X size={14} aria-hidden />
                    </button>
                  </Row>
                ))}
              </Row>
              {found.length === 0 && (
                <p className="hint">
                  {t(words.length === 0 ? 'styleGuides.spelling_none' : 'styleGuides.spelling_not_found')}
                </p>
              )}
              {found.length > most && (
                <p className="hint">{t('styleGuides.spelling_more', { shown: most, count: found.length })}</p>
              )}
            </>
          );
        }}
      </Read>
    </Setting>
  );
}
