import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BookOpen, type LucideIcon, Plug, Upload, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { members } from '#sdk/members.ts';
import { glossaryExtensions } from '#server/formats/glossary-kinds.ts';
import { bound, client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { StatusMark } from '../../parts/status-mark.tsx';
import { queryKeys } from '../../query-keys.ts';
import { useCoverage } from '../../session/use-coverage.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { glossaryService } from '../../terms/use-glossaries.ts';
import styles from './inbox.module.css';

/** The inbox without tasks: the first steps in a workspace, and which of them are done. */
export function FirstSteps() {
  const t = useT();
  const { listOf } = useFormat();
  const me = useMe();
  const coverage = useCoverage();
  const isFileCovered = coverage === undefined || coverage === 'all';
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const { data: done } = useQuery({
    queryKey: queryKeys.firstSteps(isAdmin),
    queryFn: () => readDone(isAdmin),
    enabled: me.data !== undefined,
  });
  const card = (isDone: boolean | undefined) => `card ${styles.step} ${isDone ? styles.done : ''}`;
  return (
    <section className={styles.empty} aria-labelledby="nothing-waits">
      <h2 id="nothing-waits">{t('inbox.empty')}</h2>
      <Text as="p" size="lg" tone="soft">
        {t('inbox.empty_why')}
      </Text>
      <Grid as="ul" least={13}>
        <li>
          <Link to="/app/translate" search={{ kind: 'file' }} className={card(done?.file)}>
            <Step icon={Upload} name="inbox.step_file" isDone={done?.file}>
              {isFileCovered
                ? t('inbox.step_file_hint', { formats: deployment.layoutFormats })
                : t('translate.files_need_plan')}
            </Step>
          </Link>
        </li>
        <li>
          <Link to="/app/glossaries" className={card(done?.glossary)}>
            <Step icon={BookOpen} name="inbox.step_glossary" isDone={done?.glossary}>
              {t('inbox.step_glossary_hint', {
                types: listOf(glossaryExtensions.map((kind) => kind.toUpperCase())),
              })}
            </Step>
          </Link>
        </li>
        {isAdmin && (
          <li>
            <Link to="/app/settings/members" className={card(done?.colleague)}>
              <Step icon={Users} name="inbox.step_colleague" isDone={done?.colleague}>
                {t('inbox.step_colleague_hint')}
              </Step>
            </Link>
          </li>
        )}
        <li>
          <a href={`${deployment.basePath}/docs/guides/engines`} className={card(deployment.liveEngine)}>
            <Step icon={Plug} name="inbox.step_model" isDone={deployment.liveEngine}>
              {t(deployment.liveEngine ? 'inbox.step_model_done' : 'inbox.step_model_hint')}
            </Step>
          </a>
        </li>
      </Grid>
    </section>
  );
}

function Step({
  icon: Icon,
  name,
  isDone,
  children,
}: {
  icon: LucideIcon;
  name: MessageId;
  isDone: boolean | undefined;
  children: ReactNode;
}) {
  const t = useT();
  return (
    <Stack as="span">
      <Icon size={22} strokeWidth={1.8} aria-hidden />
      <Row as="b">
        {t(name)}
        {isDone && (
          <>
            <StatusMark status="confirmed" />
            <span className="visually-hidden">{t('inbox.step_done')}</span>
          </>
        )}
      </Row>
      <Text tone="soft">{children}</Text>
    </Stack>
  );
}

/** Which steps are done. Only administrators can list the members. */
async function readDone(isAdmin: boolean) {
  const [documents, glossaries, joined] = await Promise.all([
    client.documents.listPage({ limit: 1 }),
    glossaryService.setPage({ limit: 1 }),
    isAdmin ? bound(members).listPage({ limit: 2 }) : undefined,
  ]);
  return {
    file: documents.items.length > 0,
    glossary: glossaries.items.length > 0,
    colleague: joined !== undefined && joined.items.length > 1,
  };
}
