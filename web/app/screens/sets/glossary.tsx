import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { TerminologySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageText, plainName } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Heading, Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import { useGlossaries } from '../../terms/use-glossaries.ts';
import { ContentFilterFields } from './content-filter.tsx';
import { PairName } from './pair-name.tsx';
import { RemoveSet } from './remove-set.tsx';
import type { ContentFilter } from './search.ts';
import styles from './sets.module.css';

/** `/app/glossaries/{id}`: the terms of a glossary. */
export function GlossaryScreen() {
  const t = useT();
  const { setId } = useParams({ from: '/workspace/app/glossaries/$setId' });
  const glossaries = useGlossaries();
  return (
    <>
      <p className={styles.back}>
        <Link to="/app/glossaries">{t('sets.all_glossaries')}</Link>
      </p>
      <Read from={glossaries} lines={12} heading="sets.glossaries">
        {(sets) => {
          const set = sets.find(({ id }) => id === setId);
          if (set) return <Glossary key={set.id} set={set} />;
          return (
            <>
              <Heading of="sets.glossaries" />
              <p>{t('sets.gone')}</p>
            </>
          );
        }}
      </Read>
    </>
  );
}

function Glossary({ set }: { set: TerminologySet }) {
  const t = useT();
  const { moment } = useFormat();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const filter = useSearch({ from: '/workspace/app/glossaries/$setId' });
  const remove = async () => {
    await client.terminology.delete(set.id);
    announce(t('sets.deleted', { name: set.name }));
    await navigate({ to: '/app/glossaries' });
    // The list must not show it before it is reloaded.
    queries.setQueryData<TerminologySet[]>(queryKeys.terminology.sets, (sets) =>
      sets?.filter(({ id }) => id !== set.id),
    );
    await queries.invalidateQueries({ queryKey: queryKeys.terminology.all });
  };
  return (
    <>
      <title>{`${plainName(set.name)} · LinguaLoop`}</title>
      <h1 className={styles.title}>
        <bdi translate="no">{set.name}</bdi>
      </h1>
      <div className={styles.summary}>
        <PairName source={set.source_lang} target={set.target_lang} />
        <span>{t('sets.terms_count', { count: set.entry_count })}</span>
        <span className={styles.soft}>
          {t('sets.changed')} <time dateTime={set.updated_at}>{moment(set.updated_at)}</time>
        </span>
        <RemoveSet question={t('sets.delete_glossary')} why={t('sets.delete_glossary_why')} remove={remove} />
      </div>
      <ContentFilterFields
        filter={filter}
        onChange={(search) =>
          void navigate({
            to: '/app/glossaries/$setId',
            params: { setId: set.id },
            search,
            replace: true,
            resetScroll: false,
          })
        }
      />
      <Entries set={set} filter={filter} />
    </>
  );
}

function Entries({ set, filter }: { set: TerminologySet; filter: ContentFilter }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const named = (code: string | null) => (code ? nameOf(code) : t('sets.any_language'));
  const { text, side, starts } = filter;
  // A file with the same name replaces the entries, so their pages are reloaded from the start.
  const { reading, more } = usePages(
    queryKeys.terminology.entries(set.id, set.updated_at, filter),
    (cursor) =>
      client.terminology.entryPage({
        set_id: set.id,
        ...(text && { text, match: starts ? 'prefix' : 'contains' }),
        ...(side && { side }),
        ...(cursor && { cursor }),
      }),
  );
  return (
    <>
      <Read from={reading} lines={12}>
        {(entries) =>
          entries.length === 0 ? (
            <p>{t(more.hasNextPage ? 'sets.none_so_far' : text ? 'sets.none_found' : 'sets.empty_set')}</p>
          ) : (
            <div className="table-scroll">
              <table className={`stacked ${styles.texts}`}>
                <thead>
                  <tr>
                    <th scope="col">{t('sets.source')}</th>
                    <th scope="col">{t('sets.target')}</th>
                    <th scope="col">{t('sets.rules')}</th>
                  </tr>
                </thead>
                <tbody>
                  {entries.map((entry) => (
                    <tr key={entry.entry_no}>
                      <Term language={entry.source_lang} term={entry.source_term} />
                      <Term language={entry.target_lang} term={entry.target_term} />
                      <td className={styles.soft}>
                        {[
                          t('sets.pair', { from: named(entry.source_lang), to: named(entry.target_lang) }),
                          entry.case_sensitive && t('sets.case_sensitive'),
                          entry.priority !== 0 && t('sets.priority', { priority: entry.priority }),
                        ]
                          .filter(Boolean)
                          .join(' · ')}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Read>
      <More of={more} />
    </>
  );
}

function Term({ language, term }: { language: string | null; term: string }) {
  return (
    <td>
      {language ? (
        <LanguageText as="span" language={language}>
          {term}
        </LanguageText>
      ) : (
        <bdi translate="no">{term}</bdi>
      )}
    </td>
  );
}
