-- Ranges of a variable's values, newest instances first: ids come in slices of 2^46 (of time: four hours and forty minutes),
-- and within a slice values are in order. See find/range.rs.
CREATE INDEX variable_index_number_slice ON variable_index (tenant, name, (instance >> 46), number, instance)
    WHERE number IS NOT NULL;
CREATE INDEX variable_index_text_slice ON variable_index (tenant, name, (instance >> 46), text, instance)
    WHERE text IS NOT NULL;
