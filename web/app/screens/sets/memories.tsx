import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { TranslationMemoryImportJob, TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { queryKeys } from '../../query-keys.ts';
import { shareOf, type UploadShare } from '../../upload.ts';
import { PenaltyBadge } from './penalty.tsx';
import { PairName, SetTable } from './set-table.tsx';
import { type SetFields, UploadForm, UploadSection } from './upload-form.tsx';
import { useImports, useMemories } from './use-imports.ts';

/** `/app/memories`: the workspace's TMs, imports, and the upload form. */
export function MemoriesScreen() {
  const t = useT();
  const memories = useMemories();
  return (
    <>
      <title>{`${t('common.memories')} · LinguaLoop`}</title>
      <PageHead title={t('common.memories')}>
        <Link to="/app/memories/align" className="button">
          {t('align.open')}
        </Link>
      </PageHead>
      <Read from={memories} lines={8}>
        {(sets) => (
          <>
            {sets.length === 0 && <p>{t('sets.no_memory')}</p>}
            <Upload sets={sets} />
            {sets.length > 0 && <MemoryTable sets={sets} />}
          </>
        )}
      </Read>
      <Imports />
    </>
  );
}

/** The result of the last upload: a TM, or an import that continues in the background. */
type Outcome = { set: TranslationMemorySet } | 'goes_on';

function Upload({ sets }: { sets: readonly TranslationMemorySet[] }) {
  const t = useT();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const send = async (file: File, fields: SetFields, onProgress: UploadShare) => {
    setOutcome(undefined);
    const poller = await client.memory.importTmx(
      file,
      { ...fields },
      { onUploadProgress: shareOf(onProgress) },
    );
    const set = poller.job ? undefined : await poller.pollUntilDone();
    // The list of imports shows the state of the import, even after a reload of the page.
    await queries.invalidateQueries({ queryKey: queryKeys.memory.all });
    return () => {
      setOutcome(set ? { set } : 'goes_on');
      announce(
        set ? t('sets.imported', { name: set.name, count: set.entry_count }) : t('sets.import_goes_on'),
      );
    };
  };
  return (
    <UploadSection title={t('sets.upload_memory')} isOpenFirst={sets.length === 0}>
      <UploadForm
        accept=".tmx"
        hint={t('sets.memory_file')}
        isPairNeeded={() => true}
        names={sets.map(({ name }) => name)}
        send={send}
      />
      {outcome && (
        <div className="notice">
          {outcome === 'goes_on' ? (
            <p>{t('sets.import_goes_on')}</p>
          ) : (
            <>
              <p>
                {t('sets.stored')}{' '}
                <Link to="/app/memories/$setId" params={{ setId: outcome.set.id }}>
                  <bdi translate="no">{outcome.set.name}</bdi>
                </Link>{' '}
                · {t('sets.units_count', { count: outcome.set.entry_count })}
              </p>
              <LeftOut set={outcome.set} />
            </>
          )}
        </div>
      )}
    </UploadSection>
  );
}

function MemoryTable({ sets }: { sets: readonly TranslationMemorySet[] }) {
  const t = useT();
  return (
    <SetTable sets={sets} size="sets.units">
      {({ id, name, origin }) => (
        <>
          <Link to="/app/memories/$setId" params={{ setId: id }}>
            <bdi translate="no">{name}</bdi>
          </Link>{' '}
          {origin === 'golden_approved' && <Badge tone="good">{t('sets.approved')}</Badge>}{' '}
          <PenaltyBadge setId={id} />
        </>
      )}
    </SetTable>
  );
}

const statuses: Readonly<Record<string, { name: MessageId; tone: 'waits' | 'good' | 'bad' }>> = {
  running: { name: 'sets.import_running', tone: 'waits' },
  completed: { name: 'sets.import_completed', tone: 'good' },
  failed: { name: 'sets.import_failed', tone: 'bad' },
};

/** Lists the background imports, the latest first. Shows nothing without imports. */
function Imports() {
  const t = useT();
  const imports = useImports();
  if (imports.data?.length === 0) return null;
  return (
    <section aria-labelledby="imports">
      <h2 id="imports">{t('sets.imports')}</h2>
      <Read from={imports} lines={4}>
        {(jobs) => (
          <ul className="rows">
            {jobs.map((job) => (
              <Import key={job.id} job={job} />
            ))}
          </ul>
        )}
      </Read>
    </section>
  );
}

function Import({ job }: { job: TranslationMemoryImportJob }) {
  const t = useT();
  const { moment } = useFormat();
  const status = statuses[job.status];
  return (
    <li>
      <Row gap={4}>
        <bdi translate="no">{job.set_name}</bdi>
        <Badge {...(status && { tone: status.tone })}>{status ? t(status.name) : job.status}</Badge>
        {/* The bar is indeterminate: the service reports that an import is running, but not its progress. */}
        {job.status === 'running' && <progress aria-label={t('sets.import_running')} />}
        <Text size="sm" tone="soft">
          <PairName source={job.source_lang} target={job.target_lang} />
          {' · '}
          {t('sets.units_count', { count: job.deduped_units })}
          {' · '}
          <time dateTime={job.created_at}>{moment(job.created_at)}</time>
        </Text>
      </Row>
      {job.error !== null && (
        <p className="field-problem">
          <bdi>{job.error}</bdi>
        </p>
      )}
      {job.result && <LeftOut set={job.result} />}
    </li>
  );
}

/** Shows the parts of a file that were not imported as segments, if the service reports them. */
function LeftOut({ set }: { set: TranslationMemorySet }) {
  const t = useT();
  const { skipped_units: skipped = 0, duplicates_dropped: duplicates = 0 } = set;
  if (skipped + duplicates === 0) return null;
  return <p className="hint">{t('sets.left_out', { skipped, duplicates })}</p>;
}
