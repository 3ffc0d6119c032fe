CREATE TABLE "model_requests" (
	"hour" timestamp (3) with time zone NOT NULL,
	"model" text collate "C" NOT NULL,
	"mode" text collate "C" NOT NULL,
	"outcome" text collate "C" NOT NULL,
	"duration" integer NOT NULL,
	"requests" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	CONSTRAINT "model_requests_hour_model_mode_outcome_duration_pk" PRIMARY KEY("hour","model","mode","outcome","duration")
);
