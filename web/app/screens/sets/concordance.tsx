import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import { type ConcordanceSearch, maxTextLength, type SearchedSide, searchedSides } from './search.ts';
import styles from './sets.module.css';
import { UnitTable } from './unit-table.tsx';

/** `/app/concordance`: occurrences of a word or phrase in the TMs of a language pair. */
export function ConcordanceScreen() {
  const t = useT();
  const {
    text,
    from,
    to,
    side = 'source',
    words = false,
  } = useSearch({
    from: '/workspace/app/concordance',
  });
  return (
    <>
      <title>{`${t('sets.concordance')} · LinguaLoop`}</title>
      <p className={styles.back}>
        <Link to="/app/memories">{t('sets.all_memories')}</Link>
      </p>
      <h1 className={styles.title}>{t('sets.concordance')}</h1>
      <p className="hint">{t('sets.concordance_what')}</p>
      <SearchFields />
      {text && from && to ? (
        <Occurrences request={{ text, source_lang: from, target_lang: to, side, whole_words: words }} />
      ) : (
        <p>{t('sets.concordance_begin')}</p>
      )}
    </>
  );
}

function SearchFields() {
  const t = useT();
  const navigate = useNavigate();
  const search = useSearch({ from: '/workspace/app/concordance' });
  const [text, setText] = useState(search.text ?? '');
  // The browser's Back and Forward change the URL without this form.
  useEffect(() => setText(search.text ?? ''), [search.text]);
  const set = (change: { [Name in keyof ConcordanceSearch]: ConcordanceSearch[Name] | '' | false }) => {
    const changed = Object.entries({ ...search, text: text.trim(), ...change }).filter(([, value]) => value);
    void navigate({
      to: '/app/concordance',
      search: Object.fromEntries(changed) as ConcordanceSearch,
      replace: true,
      resetScroll: false,
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set({});
  };
  return (
    <search>
      <form onSubmit={submit} className={styles.filters}>
        <LanguageSelect
          label={t('sets.source_language')}
          value={search.from ?? ''}
          any={t('sets.choose_one')}
          onChange={(from) => set({ from })}
        />
        <LanguageSelect
          label={t('sets.target_language')}
          value={search.to ?? ''}
          any={t('sets.choose_one')}
          onChange={(to) => set({ to })}
        />
        <label>
          {t('sets.side')}
          <select
            value={search.side ?? 'source'}
            onChange={({ target }) => set({ side: target.value === 'target' && 'target' })}
          >
            {searchedSides.map((side) => (
              <option key={side} value={side}>
                {t(`sets.side_${side}`)}
              </option>
            ))}
          </select>
        </label>
        <label className={styles.sought}>
          {t('sets.find')}
          <input
            type="search"
            dir="auto"
            maxLength={maxTextLength}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={search.words ?? false}
            onChange={({ target }) => set({ words: target.checked && true })}
          />
          {t('sets.whole_words')}
        </label>
        <div className={styles.filterActions}>
          <button type="submit">{t('sets.search')}</button>
        </div>
      </form>
    </search>
  );
}

function Occurrences({
  request,
}: {
  request: {
    text: string;
    source_lang: string;
    target_lang: string;
    side: SearchedSide;
    whole_words: boolean;
  };
}) {
  const t = useT();
  const { reading, more } = usePages(queryKeys.memory.concordance(request), (cursor) =>
    client.memory.concordancePage({ ...request, ...(cursor && { cursor }) }),
  );
  return (
    <>
      <Read from={reading} lines={12}>
        {(units) =>
          units.length === 0 ? (
            <p>{t(more.hasNextPage ? 'sets.none_so_far' : 'sets.none_found')}</p>
          ) : (
            <UnitTable units={units} marked={request.side} withSet />
          )
        }
      </Read>
      <More of={more} />
    </>
  );
}
