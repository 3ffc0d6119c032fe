-- A job of a request that is still open has no events: if an earlier item of the request fails, the job is deleted.
create or replace trigger record_deleted after delete on translation_jobs
  for each row when (old.status <> 'pending' or old.queued) execute function record_translation_events();
