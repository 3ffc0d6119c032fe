import type { ReactNode } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { isAdministrator, type Me, useMe } from '../session/use-me.ts';
import { Read } from './loading.tsx';
import { PageHead } from './page-head.tsx';

/**
 * A screen for administrators. Other members see whom to ask, and the screen sends no requests that the service would
 * reject.
 * @param before shown before the heading, such as a link to the list
 * @param acts controls in a bar with the heading; without them, the heading has no bar
 */
export function AdminsOnly({
  title,
  before,
  acts,
  children,
}: {
  title: MessageId;
  before?: ReactNode;
  acts?: ReactNode;
  children: (me: Me) => ReactNode;
}) {
  const t = useT();
  const me = useMe();
  const isAllowed = me.data !== undefined && isAdministrator(me.data);
  return (
    <>
      <title>{`${t(title)} · LinguaLoop`}</title>
      {acts === undefined ? (
        <h1>{t(title)}</h1>
      ) : (
        <PageHead before={before} title={t(title)}>
          {isAllowed ? acts : null}
        </PageHead>
      )}
      <Read from={me}>
        {(known) => (isAdministrator(known) ? children(known) : <Forbidden why={t('common.admins_only')} />)}
      </Read>
    </>
  );
}

/** The screen of a member without access. */
export function Forbidden({ why }: { why: string }) {
  return (
    <div role="note" className="notice">
      <p>{why}</p>
    </div>
  );
}
