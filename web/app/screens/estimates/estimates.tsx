import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { analyses } from '#sdk/analyses.ts';
import type { AnalysisSummary } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { estimateKeys } from './uploads.ts';

/** `/app/estimates`: the estimates of the workspace, the latest first. */
export function EstimatesScreen() {
  const t = useT();
  const { number, moment } = useFormat();
  const { nameOf } = useLanguages();
  const [deleted, setDeleted] = useState<AnalysisSummary>();
  const { reading, more } = usePages(estimateKeys.lists, (cursor) =>
    bound(analyses).listPage({ limit: 50, ...(cursor && { cursor }) }),
  );
  const nameOfOne = ({ files, target_langs }: AnalysisSummary) =>
    t('estimates.open', { files, languages: target_langs.map(nameOf).join(', ') });
  return (
    <>
      <title>{`${t('estimates.title')} · LinguaLoop`}</title>
      <PageHead title={t('estimates.title')}>
        <Link to="/app/translate" search={{ kind: 'file' }} className="button primary">
          <Plus size={16} aria-hidden /> {t('estimates.new')}
        </Link>
      </PageHead>
      <p className="hint">{t('estimates.kept')}</p>
      <Read from={reading} lines={8}>
        {(found) =>
          found.length === 0 ? (
            <p>{t('estimates.none')}</p>
          ) : (
            <DataTable
              rows={found}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: t('estimates.files'),
                  isName: true,
                  cell: (one) => (
                    <Link to="/app/estimates/$estimateId" params={{ estimateId: one.id }}>
                      {nameOfOne(one)}
                    </Link>
                  ),
                },
                { title: t('estimates.created'), cell: (one) => moment(one.created_at) },
                {
                  title: t('estimates.by'),
                  wraps: true,
                  cell: (one) => <bdi translate="no">{one.created_by ?? '–'}</bdi>,
                },
                {
                  title: t('estimates.billed'),
                  isNumeric: true,
                  cell: (one) => number(one.billable_characters),
                },
                {
                  title: t('estimates.status'),
                  cell: (one) => t(one.started_at ? 'estimates.started' : `estimates.status_${one.status}`),
                },
              ]}
              actions={{
                title: t('estimates.delete'),
                cell: (one) => (
                  <IconButton
                    label={`${t('estimates.delete')}: ${nameOfOne(one)}`}
                    title={t('estimates.delete')}
                    onClick={() => setDeleted(one)}
                  >
                    <Trash2 size={16} aria-hidden />
                  </IconButton>
                ),
              }}
            />
          )
        }
      </Read>
      <More of={more} />
      {deleted && <DeleteEstimate id={deleted.id} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

/** Asks before an estimate is deleted. @param onDeleted called before the list is loaded again */
export function DeleteEstimate({
  id,
  onDeleted,
  onClose,
}: {
  id: string;
  onDeleted?: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t('estimates.delete_question')}
      action={t('estimates.delete')}
      onClose={onClose}
      onConfirm={async () => {
        await bound(analyses).delete(id);
        onDeleted?.();
        announce(t('estimates.deleted'));
        await queries.invalidateQueries({ queryKey: estimateKeys.lists });
      }}
    >
      <p>{t('estimates.delete_why')}</p>
    </ConfirmDialog>
  );
}
