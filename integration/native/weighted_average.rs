//! The same library in Rust: a `Vec` as scratch, reserved in one block and filled.

/// A size that nobody else allocates, so that the report can be held against it.
const SCRATCH_BYTES: usize = 397_853_039;

#[no_mangle]
pub extern "C" fn weighted_average_rust_scratch_bytes() -> u64 {
    SCRATCH_BYTES as u64
}

/// Returns the sum of value·weight over the sum of weight, 0 without weight.
///
/// # Safety
/// `values` and `weights` point to `count` doubles each.
#[no_mangle]
pub unsafe extern "C" fn weighted_average_rust(values: *const f64, weights: *const f64, count: usize) -> f64 {
    let (values, weights) = unsafe {
        (std::slice::from_raw_parts(values, count), std::slice::from_raw_parts(weights, count))
    };
    let mut scratch: Vec<u8> = Vec::with_capacity(SCRATCH_BYTES);
    scratch.resize(SCRATCH_BYTES, 1);
    let weight: f64 = weights.iter().sum();
    if weight == 0.0 {
        return 0.0;
    }
    let sum: f64 = values.iter().zip(weights).map(|(v, w)| v * w).sum();
    sum / weight * f64::from(std::hint::black_box(&scratch)[count % SCRATCH_BYTES])
}
