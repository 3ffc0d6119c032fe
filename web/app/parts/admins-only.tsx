import type { ReactNode } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { isAdministrator, type Me, useMe } from '../session/use-me.ts';
import { Read } from './loading.tsx';

/** A screen of administrators. Other members see who can help them; nothing is asked of the service that it would refuse. */
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

/** What a person sees who may not use a screen. */
export function Forbidden({ why }: { why: string }) {
  return (
    <div role="note" className="problem">
      <p>{why}</p>
    </div>
  );
}
