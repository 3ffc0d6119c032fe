import type { Locator } from 'playwright-core';

/** Selects an option of a select of the kit. @param scope what holds the select; the list opens over the page */
export async function choose(scope: Locator, label: string, option: string): Promise<void> {
  await scope.getByRole('button', { name: new RegExp(`${label}$`) }).click();
  await scope.page().getByRole('option', { name: option, exact: true }).click();
}

/** Opens a menu of the kit and takes a command. */
export async function command(scope: Locator, menu: string, name: string): Promise<void> {
  await scope.getByRole('button', { name: menu }).click();
  await scope.page().getByRole('menuitem', { name, exact: true }).click();
}
