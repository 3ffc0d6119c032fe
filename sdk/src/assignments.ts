import { type ApiPromise, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type {
  Assignment,
  AssignmentOutcome,
  AssignmentPageData,
  AssignmentRules,
  AssignmentRulesChange,
  AssignmentsPageQuery,
  AssignmentsQuery,
  AssignRequest,
  MemberLoadPage,
  MemberPageQuery,
  OwnAssignmentsPageQuery,
  OwnAssignmentsQuery,
  PassedItem,
  PassRequest,
  ReviewerProfile,
  ReviewerProfileChange,
  ReviewerProfilePage,
} from './types.ts';

/** Assignments, due dates and second reviews. All methods need a session. */
export interface Assignments {
  /** Lists what the member reviews next, by due date; with `state: 'upcoming'`, second reviews whose first one is not complete. */
  mine(query?: OwnAssignmentsQuery, options?: CallOptions): List<Assignment>;
  /** Returns one page of `mine`. */
  minePage(query?: OwnAssignmentsPageQuery, options?: CallOptions): ApiPromise<Page<Assignment>>;
  /** Lists the assigned, overdue or unassigned items of the workspace. */
  list(query?: AssignmentsQuery, options?: CallOptions): List<Assignment>;
  /** Returns one page of `list`. */
  listPage(query?: AssignmentsPageQuery, options?: CallOptions): ApiPromise<Page<Assignment>>;
  /**
   * Changes the assignments of 1 to 500 items. Members take unassigned items, and hand over or unassign their own;
   * administrators change all. Returns one result for each item; a rejected one does not stop the others. Not retried.
   */
  assign(request: AssignRequest, options?: CallOptions): ApiPromise<AssignmentOutcome[]>;
  /** Passes an item on to its second reviewer, or back. Throws ConflictError if others have the item. Not retried. */
  pass(request: PassRequest, options?: CallOptions): ApiPromise<PassedItem>;
  /** Returns a page of the active members with their languages and absences. */
  profiles(query?: MemberPageQuery, options?: CallOptions): ApiPromise<ReviewerProfilePage>;
  /** Saves the member's own profile or, for administrators, that of another member. Fields that are left out stay. */
  saveProfile(change: ReviewerProfileChange, options?: CallOptions): ApiPromise<ReviewerProfile>;
  /** Returns a page of the active members with what they have to review, for administrators. */
  load(query?: MemberPageQuery, options?: CallOptions): ApiPromise<MemberLoadPage>;
  /** Returns the rules by which items are assigned, for administrators. */
  rules(options?: CallOptions): ApiPromise<AssignmentRules>;
  /**
   * Replaces the rules, for administrators. They are also applied to unassigned items that await review. With the `version`
   * of `rules`, throws ConflictError if someone else has changed the rules since then.
   */
  saveRules(change: AssignmentRulesChange, options?: CallOptions): ApiPromise<AssignmentRules>;
}

export function assignments({ mutate, mutateOnce, query }: Connection): Assignments {
  const listing = <Query extends { cursor?: string | undefined }>(
    name: 'assignments.mine' | 'assignments.list',
  ) =>
    createListing<Query, AssignmentPageData, Assignment, CallOptions>(
      (wanted, options) => query(name, wanted, options),
      (page) => page.items,
      (page) => page.next_cursor,
    );
  const mine = listing<OwnAssignmentsPageQuery>('assignments.mine');
  const all = listing<AssignmentsPageQuery>('assignments.list');
  return {
    mine: mine.list,
    minePage: mine.listPage,
    list: all.list,
    listPage: all.listPage,
    // Not repeatable: the first call changes the version, or passes the item on.
    assign: (request, options) =>
      mapResult(mutateOnce('assignments.assign', request, options), ({ results }) => results),
    pass: (request, options) => mutateOnce('assignments.pass', request, options),
    profiles: (wanted, options) => query('assignments.profiles', wanted ?? {}, options),
    saveProfile: (change, options) => mutate('assignments.saveProfile', change, options),
    load: (wanted, options) => query('assignments.load', wanted ?? {}, options),
    rules: (options) => query('assignments.rules', undefined, options),
    saveRules: (change, options) => mutate('assignments.saveRules', change, options),
  };
}
