import type { ReactNode } from 'react';
import style from './page-head.module.css';

/**
 * The bar at the top of a screen, across the whole width: the heading, and controls that apply to the whole screen.
 * @param aside shown directly after the heading
 * @param children the actions at the end of the bar
 */
export function PageHead({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className={style['head']}>
      <h1>{title}</h1>
      {aside}
      {children && <div className={style['acts']}>{children}</div>}
    </header>
  );
}
