-- What refusals and cached answers saved: the model calls that were not made, their tokens, and what they would have cost.

-- As JSON: by ('refusal' or 'cache'), inputTokens and outputTokens where they are known, estimated where they are those
-- of an average call, modelCost and retrievalCost where there are prices. NULL where a model was asked.
ALTER TABLE decisions ADD COLUMN saved TEXT;

-- Calls not made, by what; of those whose tokens were measured, and whose were estimated, how many and how many tokens;
-- of those that have a price, how many, and the amounts.
ALTER TABLE decision_rollups ADD COLUMN saved_by_refusal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_by_cache INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_measured INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_measured_input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_measured_output INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_estimated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_estimated_input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_estimated_output INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_priced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN saved_model_cost REAL NOT NULL DEFAULT 0.0;
ALTER TABLE decision_rollups ADD COLUMN saved_retrieval_cost REAL NOT NULL DEFAULT 0.0;

-- Calls that were not made until now; their tokens nobody noted.
UPDATE decision_rollups SET
  saved_by_cache = iif(cache IN ('hit', 'evidence-hit', 'stale'), events, 0),
  saved_by_refusal = iif(
    cache IN ('miss', 'bypass') AND verdict = 'refuse' AND mode = 'enforce', max(0, events - model_calls), 0
  );

DROP TRIGGER decisions_are_counted;

-- Deleting decisions leaves the counts alone.
CREATE TRIGGER decisions_are_counted AFTER INSERT ON decisions
BEGIN
  INSERT INTO decision_rollups (
    tenant, span_ms, start_ms, collection, policy_id, verdict, band, cache, reason, mode,
    events, confidence_count, confidence_sum, total_ms_count, total_ms_sum, retrieval_ms_count, retrieval_ms_sum,
    generation_ms_count, generation_ms_sum, model_calls, input_tokens, output_tokens, escalated, expanded,
    confidence_bins, latency_bins,
    saved_by_refusal, saved_by_cache, saved_measured, saved_measured_input, saved_measured_output,
    saved_estimated, saved_estimated_input, saved_estimated_output, saved_priced, saved_model_cost, saved_retrieval_cost
  )
  SELECT
    NEW.tenant, span.ms, NEW.at_ms - NEW.at_ms % span.ms, NEW.collection, NEW.policy_id, NEW.verdict, NEW.band,
    NEW.cache, NEW.reason, NEW.mode,
    1,
    NEW.confidence IS NOT NULL, coalesce(NEW.confidence, 0.0),
    NEW.total_ms IS NOT NULL, coalesce(NEW.total_ms, 0.0),
    NEW.retrieval_ms IS NOT NULL, coalesce(NEW.retrieval_ms, 0.0),
    NEW.generation_ms IS NOT NULL, coalesce(NEW.generation_ms, 0.0),
    NEW.model IS NOT NULL,
    coalesce(NEW.input_tokens, 0), coalesce(NEW.output_tokens, 0),
    coalesce(NEW.escalate, 0), NEW.expansion IS NOT NULL,
    iif(NEW.confidence IS NULL, '{}', json_object(CAST(bin.confidence AS TEXT), 1)),
    iif(NEW.total_ms IS NULL, '{}', json_object(CAST(bin.latency AS TEXT), 1)),
    coalesce(saved.kind = 'refusal', 0), coalesce(saved.kind = 'cache', 0),
    iif(saved.estimated, 0, saved.input IS NOT NULL), iif(saved.estimated, 0, coalesce(saved.input, 0)),
    iif(saved.estimated, 0, coalesce(saved.output, 0)),
    saved.estimated, iif(saved.estimated, coalesce(saved.input, 0), 0), iif(saved.estimated, coalesce(saved.output, 0), 0),
    saved.model_cost IS NOT NULL, coalesce(saved.model_cost, 0.0), coalesce(saved.retrieval_cost, 0.0)
  FROM
    (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span,
    (
      SELECT
        max(0, min(19, CAST(NEW.confidence * 20 + 1e-9 AS INTEGER))) AS confidence,
        min(130, CAST(ceil(ln(max(NEW.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) AS latency
    ) AS bin,
    (
      SELECT
        NEW.saved ->> 'by' AS kind, NEW.saved ->> 'inputTokens' AS input, NEW.saved ->> 'outputTokens' AS output,
        coalesce(NEW.saved ->> 'estimated', 0) AS estimated,
        NEW.saved ->> 'modelCost' AS model_cost, NEW.saved ->> 'retrievalCost' AS retrieval_cost
    ) AS saved
  WHERE true
  ON CONFLICT (tenant, span_ms, start_ms, collection, policy_id, verdict, band, cache, reason, mode) DO UPDATE SET
    events = events + 1,
    confidence_count = confidence_count + excluded.confidence_count,
    confidence_sum = confidence_sum + excluded.confidence_sum,
    total_ms_count = total_ms_count + excluded.total_ms_count,
    total_ms_sum = total_ms_sum + excluded.total_ms_sum,
    retrieval_ms_count = retrieval_ms_count + excluded.retrieval_ms_count,
    retrieval_ms_sum = retrieval_ms_sum + excluded.retrieval_ms_sum,
    generation_ms_count = generation_ms_count + excluded.generation_ms_count,
    generation_ms_sum = generation_ms_sum + excluded.generation_ms_sum,
    model_calls = model_calls + excluded.model_calls,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    escalated = escalated + excluded.escalated,
    expanded = expanded + excluded.expanded,
    confidence_bins = iif(NEW.confidence IS NULL, confidence_bins, json_set(
      confidence_bins,
      '$."' || max(0, min(19, CAST(NEW.confidence * 20 + 1e-9 AS INTEGER))) || '"',
      coalesce(json_extract(
        confidence_bins, '$."' || max(0, min(19, CAST(NEW.confidence * 20 + 1e-9 AS INTEGER))) || '"'
      ), 0) + 1
    )),
    latency_bins = iif(NEW.total_ms IS NULL, latency_bins, json_set(
      latency_bins,
      '$."' || min(130, CAST(ceil(ln(max(NEW.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) || '"',
      coalesce(json_extract(
        latency_bins, '$."' || min(130, CAST(ceil(ln(max(NEW.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) || '"'
      ), 0) + 1
    )),
    saved_by_refusal = saved_by_refusal + excluded.saved_by_refusal,
    saved_by_cache = saved_by_cache + excluded.saved_by_cache,
    saved_measured = saved_measured + excluded.saved_measured,
    saved_measured_input = saved_measured_input + excluded.saved_measured_input,
    saved_measured_output = saved_measured_output + excluded.saved_measured_output,
    saved_estimated = saved_estimated + excluded.saved_estimated,
    saved_estimated_input = saved_estimated_input + excluded.saved_estimated_input,
    saved_estimated_output = saved_estimated_output + excluded.saved_estimated_output,
    saved_priced = saved_priced + excluded.saved_priced,
    saved_model_cost = saved_model_cost + excluded.saved_model_cost,
    saved_retrieval_cost = saved_retrieval_cost + excluded.saved_retrieval_cost;
END;
