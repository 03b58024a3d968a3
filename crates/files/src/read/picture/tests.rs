use super::*;
use image::{Rgb, RgbImage, Rgba, RgbaImage};

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).expect("a picture");
    out.into_inner()
}

fn fitted(bytes: &[u8], format: ImageFormat) -> Picture {
    fit(Path::new("/p"), bytes.to_vec(), format).expect("a picture that fits")
}

/// Pixels that no format can make small.
fn noise(side: u32) -> DynamicImage {
    let mut random = fastrand::Rng::with_seed(7);
    DynamicImage::ImageRgb8(RgbImage::from_fn(side, side, |_, _| {
        Rgb([random.u8(..), random.u8(..), random.u8(..)])
    }))
}

#[test]
fn small_pictures_go_as_they_are() {
    let image = DynamicImage::ImageRgb8(RgbImage::from_pixel(3, 2, Rgb([1, 2, 3])));
    let check = |format: ImageFormat, mime: &str| {
        let bytes = encoded(&image, format);
        let picture = fitted(&bytes, format);
        assert_eq!(
            (
                picture.mime,
                picture.width,
                picture.height,
                picture.scaled_from
            ),
            (mime, 3, 2, None)
        );
        assert_eq!(picture.bytes, bytes, "{mime}: byte for byte");
    };
    check(ImageFormat::Png, "image/png");
    check(ImageFormat::Jpeg, "image/jpeg");
    check(ImageFormat::Gif, "image/gif");
    check(ImageFormat::WebP, "image/webp");
}

#[test]
fn a_side_too_long_is_scaled() {
    let image = DynamicImage::ImageRgba8(RgbaImage::from_pixel(8_002, 40, Rgba([9, 9, 9, 100])));
    let picture = fitted(&encoded(&image, ImageFormat::Png), ImageFormat::Png);
    assert_eq!((picture.width, picture.height), (1_568, 8));
    assert_eq!(picture.mime, "image/png", "transparent parts are kept");
    assert_eq!(
        picture.scaled_from,
        Some(Original {
            width: 8_002,
            height: 40
        })
    );
    assert_eq!(
        decode(&picture.bytes, ImageFormat::Png)
            .map(|image| image.width())
            .ok(),
        Some(1_568)
    );
}

#[test]
fn too_many_bytes_become_fewer() {
    let bytes = encoded(&noise(1_200), ImageFormat::Png);
    assert!(
        bytes.len() > MAX_PICTURE_BYTES,
        "the test needs a large file"
    );
    let picture = fitted(&bytes, ImageFormat::Png);
    assert_eq!((picture.mime, picture.width), ("image/jpeg", 1_200));
    assert!(picture.bytes.len() <= MAX_PICTURE_BYTES);
    assert_eq!(picture.size, bytes.len() as u64);
}

#[test]
fn a_damaged_picture_is_refused() {
    let mut bytes = encoded(&noise(40), ImageFormat::Png);
    bytes.truncate(bytes.len() / 2);
    let error = fit(Path::new("/p"), bytes, ImageFormat::Png).expect_err("damaged");
    assert_eq!(error.code(), "READ_CONTENT_FAILURE");
}
