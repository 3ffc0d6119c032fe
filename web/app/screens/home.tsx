import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import { Read } from '../parts/loading.tsx';

/** `/app`: what waits for the person. */
export function HomeScreen() {
  const t = useT();
  const waiting = useQuery({
    queryKey: ['jobs', 'awaiting_review', 'first'],
    queryFn: async () => {
      const { items } = await client.translations.listPage({ status: 'awaiting_review', limit: 10 });
      return items;
    },
  });
  return (
    <>
      <title>{`${t('common.home')} · LinguaLoop`}</title>
      <h1>{t('common.home')}</h1>
      <section aria-labelledby="waiting">
        <h2 id="waiting">{t('common.waiting')}</h2>
        <Read from={waiting}>
          {(jobs) =>
            jobs.length === 0 ? (
              <p>{t('common.nothing_waits')}</p>
            ) : (
              <ul className="rows">
                {jobs.map(({ id, request }) => (
                  <li key={id}>
                    <LanguageText as="span" language={request.source_lang}>
                      {request.source_text}
                    </LanguageText>
                  </li>
                ))}
              </ul>
            )
          }
        </Read>
      </section>
    </>
  );
}
