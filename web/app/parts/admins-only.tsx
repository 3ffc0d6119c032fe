import type { ReactNode } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { isAdministrator, type Me, useMe } from '../session/use-me.ts';
import { Read } from './loading.tsx';

/**
 * A screen for administrators. Other members see whom to ask, and the screen sends no requests that the service would
 * reject.
 */
export function AdminsOnly({ title, children }: { title: MessageId; children: (me: Me) => ReactNode }) {
  const t = useT();
  const me = useMe();
  return (
    <>
      <title>{`${t(title)} · LinguaLoop`}</title>
      <h1>{t(title)}</h1>
      <Read from={me}>
        {(known) => (isAdministrator(known) ? children(known) : <Forbidden why={t('common.admins_only')} />)}
      </Read>
    </>
  );
}

/** The screen of a member without access. */
export function Forbidden({ why }: { why: string }) {
  return (
    <div role="note" className="problem">
      <p>{why}</p>
    </div>
  );
}
