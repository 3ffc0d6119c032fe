import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Fill, Row } from '../../kit/box.tsx';
import { Check, Field } from '../../kit/field.tsx';
import { Select } from '../../kit/select.tsx';
import { Text } from '../../kit/text.tsx';
import { LanguageSelect, useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { maxTextLength } from '../../parts/searched-text.ts';
import { queryKeys } from '../../query-keys.ts';
import { UndoChange } from './memory-changes.tsx';
import { type ConcordanceSearch, type SearchedSide, searchedSides } from './search.ts';
import { UnitList } from './unit-list.tsx';
import { type MemoryChanges, useMemoryChanges } from './use-memory-changes.ts';

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
  const changes = useMemoryChanges();
  const request: Request = {
    text: text ?? '',
    source_lang: from ?? '',
    target_lang: to ?? '',
    side,
    whole_words: words,
  };
  return (
    <>
      <title>{`${t('common.concordance')} · LinguaLoop`}</title>
      <PageHead title={t('common.concordance')} />
      <p className="hint">{t('sets.concordance_what')}</p>
      <SearchFields />
      {text && from && to ? (
        <>
          <Occurrences request={request} changes={changes} />
          {/* A TM of the opposite direction may contain the same translation. */}
          <Occurrences request={reversed(request)} changes={changes} isQuiet />
        </>
      ) : (
        <p>{t('sets.concordance_begin')}</p>
      )}
      <UndoChange changes={changes} />
    </>
  );
}

type Change = { [Name in keyof ConcordanceSearch]: ConcordanceSearch[Name] | '' | false };

/** The fields of the concordance search. A selected option applies immediately. */
function SearchFields() {
  const t = useT();
  const navigate = useNavigate();
  const inAddress = useSearch({ from: '/workspace/app/concordance' });
  const [search, setSearch] = useState(inAddress);
  const address = JSON.stringify(inAddress);
  // The browser's Back and Forward change the URL without this form.
  useEffect(() => setSearch(JSON.parse(address)), [address]);
  const change = (changed: Change) =>
    Object.fromEntries(
      Object.entries({ ...search, ...changed }).filter(([, value]) => value),
    ) as ConcordanceSearch;
  const open = (search: ConcordanceSearch) =>
    void navigate({ to: '/app/concordance', search, replace: true, resetScroll: false });
  const set = (changed: Change) => open(change({ ...changed, text: search.text?.trim() ?? '' }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    open(change({ text: search.text?.trim() ?? '' }));
  };
  return (
    <search>
      <Row as="form" gap={4} align="end" onSubmit={submit}>
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
        <Select
          label={t('sets.side')}
          value={search.side ?? 'source'}
          options={searchedSides.map((side) => ({ value: side, name: t(`sets.side_${side}`) }))}
          onChange={(side) => set({ side: side === 'target' && side })}
        />
        <Fill>
          <Field
            label={t('sets.find')}
            type="search"
            dir="auto"
            maxLength={maxTextLength}
            value={search.text ?? ''}
            onValue={(text) => setSearch((before) => ({ ...before, text }))}
          />
        </Fill>
        <Check
          label={t('sets.whole_words')}
          isChecked={search.words ?? false}
          onChange={(words) => set({ words })}
        />
        <button type="submit">{t('sets.search')}</button>
      </Row>
    </search>
  );
}

interface Request {
  text: string;
  source_lang: string;
  target_lang: string;
  side: SearchedSide;
  whole_words: boolean;
}

/** The same search in the TMs of the opposite direction. */
function reversed({ source_lang, target_lang, side, ...request }: Request): Request {
  return {
    ...request,
    source_lang: target_lang,
    target_lang: source_lang,
    side: side === 'source' ? 'target' : 'source',
  };
}

/** The occurrences in the TMs of one direction. Hidden if `isQuiet` and there are none. */
function Occurrences({
  request,
  changes,
  isQuiet = false,
}: {
  request: Request;
  changes: MemoryChanges;
  isQuiet?: boolean;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { reading, more } = usePages(queryKeys.memory.concordance(request), (cursor) =>
    client.memory.concordancePage({ ...request, ...(cursor && { cursor }) }),
  );
  if (isQuiet && reading.data?.length === 0 && !more.hasNextPage) return null;
  const id = `${request.source_lang}-${request.target_lang}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <Text size="sm" tone="soft">
          {t('sets.pair', { from: nameOf(request.source_lang), to: nameOf(request.target_lang) })}
        </Text>
      </h2>
      <Read from={reading} lines={isQuiet ? 2 : 12}>
        {(units) =>
          units.length === 0 ? (
            <p>{t(more.hasNextPage ? 'sets.none_so_far' : 'sets.none_found')}</p>
          ) : (
            <UnitList units={units} changes={changes} marked={request.side} withSet />
          )
        }
      </Read>
      <More of={more} />
    </section>
  );
}
