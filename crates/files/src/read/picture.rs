//! Pictures as models take them: of a kind by their bytes, whole, and small enough.
//!
//! A picture that does not decode is refused here. A provider would refuse it too, and with it every later request of
//! the conversation. Large ones are scaled down; all others go as they are, byte for byte.

use crate::error::{Error, SizePurpose};
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, ImageResult, Limits};
use std::io::{self, Cursor};
use std::path::Path;

/// Larger pictures are scaled down: 5 MB is what providers take, in base64, which makes four bytes of three.
const MAX_PICTURE_BYTES: usize = 3_750_000;
/// Larger pictures are scaled down; providers refuse them.
const MAX_PICTURE_SIDE_PX: u32 = 8_000;
/// Larger files are not loaded; the picture of a good camera has half of it.
pub(super) const MAX_PICTURE_FILE_BYTES: u64 = 50 * 1024 * 1024;
/// Long side of a picture that was scaled down: models look at no more.
const SCALED_SIDE_PX: u32 = 1_568;
/// Longest side that is decoded, so that a few bytes cannot promise a picture without end.
const MAX_DECODED_SIDE_PX: u32 = 40_000;
/// Memory that decoding may take.
const MAX_DECODED_BYTES: u64 = 512 * 1024 * 1024;
/// Of 100; text on screenshots stays readable.
const JPEG_QUALITY: u8 = 85;

/// A picture that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What is sent.
    pub bytes: Vec<u8>,
    /// Media type of these bytes.
    pub mime: &'static str,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The file itself, where it is another picture than what is sent.
    pub scaled_from: Option<Original>,
    /// Size of the file in bytes.
    pub size: u64,
}

/// A picture that was too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Original {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Checks a picture and makes it small enough.
pub(super) fn fit(path: &Path, bytes: Vec<u8>, format: ImageFormat) -> Result<Picture, Error> {
    let size = bytes.len() as u64;
    let image = decode(&bytes, format).map_err(|source| Error::ReadFailed {
        operation: "decode the picture",
        path: path.to_path_buf(),
        source: io::Error::other(source),
    })?;
    let (width, height) = (image.width(), image.height());
    let fits = bytes.len() <= MAX_PICTURE_BYTES && width.max(height) <= MAX_PICTURE_SIDE_PX;
    if fits {
        return Ok(Picture {
            bytes,
            mime: format.to_mime_type(),
            width,
            height,
            scaled_from: None,
            size,
        });
    }
    let scaled = scale(image);
    let (sent, format) = encode(&scaled).map_err(|source| Error::ReadFailed {
        operation: "scale the picture",
        path: path.to_path_buf(),
        source: io::Error::other(source),
    })?;
    if sent.len() > MAX_PICTURE_BYTES {
        return Err(Error::TooLarge {
            path: path.to_path_buf(),
            size,
            limit: MAX_PICTURE_BYTES as u64,
            purpose: SizePurpose::Picture,
        });
    }
    Ok(Picture {
        bytes: sent,
        mime: format.to_mime_type(),
        width: scaled.width(),
        height: scaled.height(),
        scaled_from: Some(Original { width, height }),
        size,
    })
}

/// Decodes as people see it: a camera that was held upright says so in a note beside the pixels.
fn decode(bytes: &[u8], format: ImageFormat) -> ImageResult<DynamicImage> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_DECODED_SIDE_PX);
    limits.max_image_height = Some(MAX_DECODED_SIDE_PX);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(orientation);
    Ok(image)
}

fn scale(image: DynamicImage) -> DynamicImage {
    if image.width().max(image.height()) <= SCALED_SIDE_PX {
        return image;
    }
    image.resize(SCALED_SIDE_PX, SCALED_SIDE_PX, FilterType::Triangle)
}

/// Without loss where the picture has transparent parts and is not too large then.
fn encode(image: &DynamicImage) -> ImageResult<(Vec<u8>, ImageFormat)> {
    if image.color().has_alpha() {
        let mut png = Cursor::new(Vec::new());
        image.write_to(&mut png, ImageFormat::Png)?;
        if png.get_ref().len() <= MAX_PICTURE_BYTES {
            return Ok((png.into_inner(), ImageFormat::Png));
        }
    }
    let mut jpeg = Vec::new();
    let pixels = DynamicImage::ImageRgb8(image.to_rgb8());
    pixels.write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, JPEG_QUALITY))?;
    Ok((jpeg, ImageFormat::Jpeg))
}

#[cfg(test)]
mod tests;
