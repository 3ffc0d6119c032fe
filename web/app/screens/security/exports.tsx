import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Fill, Row } from '../../kit/box.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved, proveFirst } from '../../session/proof.ts';

/** An export of the workspace. */
type ExportRecord = OutputOf<'exports.list'>['exports'][number];

/** Milliseconds between two reads of the list while an export is running. */
const pollMs = 3000;

const isRunning = ({ finished_at }: ExportRecord) => finished_at === null;

/** The exports of the workspace. A worker makes each of them; the browser saves the zip. */
export function Exports() {
  const t = useT();
  const queries = useQueryClient();
  const reading = useQuery({
    queryKey: queryKeys.exports,
    queryFn: () => procedures.exports.list.query(),
    refetchInterval: ({ state }) => (state.data?.exports.some(isRunning) ? pollMs : false),
  });
  const start = async () => {
    await proved(() => procedures.exports.start.mutate());
    announce(t('security.export_started'));
    await queries.invalidateQueries({ queryKey: queryKeys.exports });
  };
  const isUnderWay = reading.data?.exports.some(isRunning) ?? true;
  return (
    <Setting
      id="exports"
      title={t('security.exports')}
      why={t('security.exports_why')}
      action={
        <ActionButton isOff={isUnderWay} onRun={start}>
          {t('security.export_start')}
        </ActionButton>
      }
    >
      <Read from={reading} lines={1}>
        {({ exports }) =>
          exports.length > 0 && (
            <ul className="rows">
              {exports.map((made) => (
                <li key={made.id}>
                  <Row gap={4} align="baseline">
                    <One made={made} />
                  </Row>
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </Setting>
  );
}

function One({ made }: { made: ExportRecord }) {
  const t = useT();
  const format = useFormat();
  const { id, requested_at, expires_at, size_bytes, files } = made;
  const created = <Fill>{format.moment(requested_at)}</Fill>;
  const address = `${deployment.basePath}/app/exports/${encodeURIComponent(id)}`;
  const save = async (event: MouseEvent) => {
    event.preventDefault();
    if (await proveFirst()) location.assign(address);
  };
  if (expires_at === null || size_bytes === null)
    return (
      <>
        {created}
        <span className="hint">{t('security.export_running', { count: files })}</span>
      </>
    );
  return (
    <>
      {created}
      <span>{format.bytes(size_bytes)}</span>
      <span className="hint">{t('security.export_until', { when: format.day(expires_at) })}</span>
      <a href={address} download onClick={save}>
        {t('security.export_download')}
      </a>
    </>
  );
}
