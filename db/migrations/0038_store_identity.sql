CREATE TABLE "store_identity" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"store_id" text collate "C" NOT NULL
);
