import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { TerminologySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import { useGlossaries } from '../../terms/use-glossaries.ts';
import { RemoveSet } from './remove-set.tsx';
import { type ContentFilter, contentRequest } from './search.ts';
import { NoContent, SetFilter, SetScreen, SetSummary } from './set-screen.tsx';
import styles from './sets.module.css';

/** `/app/glossaries/{id}`: the terms of a glossary. */
export function GlossaryScreen() {
  const t = useT();
  const { setId } = useParams({ from: '/workspace/app/glossaries/$setId' });
  const glossaries = useGlossaries();
  return (
    <SetScreen
      from={glossaries}
      setId={setId}
      heading="sets.glossaries"
      back={<Link to="/app/glossaries">{t('sets.all_glossaries')}</Link>}
    >
      {(set) => <Glossary key={set.id} set={set} />}
    </SetScreen>
  );
}

function Glossary({ set }: { set: TerminologySet }) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const filter = useSearch({ from: '/workspace/app/glossaries/$setId' });
  const remove = async () => {
    await client.terminology.delete(set.id);
    announce(t('sets.deleted', { name: set.name }));
    await navigate({ to: '/app/glossaries' });
    // The list must not show the deleted glossary until it is reloaded.
    queries.setQueryData<TerminologySet[]>(queryKeys.terminology.sets, (sets) =>
      sets?.filter(({ id }) => id !== set.id),
    );
    await queries.invalidateQueries({ queryKey: queryKeys.terminology.all });
  };
  return (
    <>
      <SetSummary set={set} size={t('sets.terms_count', { count: set.entry_count })}>
        <RemoveSet question={t('sets.delete_glossary')} why={t('sets.delete_glossary_why')} remove={remove} />
      </SetSummary>
      <SetFilter to="/app/glossaries/$setId" setId={set.id} filter={filter} />
      <Entries set={set} filter={filter} />
    </>
  );
}

function Entries({ set, filter }: { set: TerminologySet; filter: ContentFilter }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const named = (code: string | null) => (code ? nameOf(code) : t('sets.any_language'));
  // An upload with the same name replaces the entries, so all pages are then loaded from the start.
  const { reading, more } = usePages(
    queryKeys.terminology.entries(set.id, set.updated_at, filter),
    (cursor) => client.terminology.entryPage(contentRequest(set.id, filter, cursor)),
  );
  return (
    <>
      <Read from={reading} lines={12}>
        {(entries) =>
          entries.length === 0 ? (
            <NoContent filter={filter} hasMore={more.hasNextPage} />
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
